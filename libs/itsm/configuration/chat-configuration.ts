import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import { BadRequestError, type JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { RegisterWorkspaceDto } from '../chat/http/chat-setup.dto.js';
import { ChatAdapters } from '../chat/chat-adapters.js';
import { ChatWorkspace } from '../chat/setup/chat-workspace.entity.js';
import { ChatWorkspaces, type WorkspaceDraft } from '../chat/setup/chat-workspaces.service.js';
import { storedNotifications, type StoredNotifications } from '../chat/setup/notification-routing.js';
import { checkSettings, checkWorkspaceId } from '../chat/setup/workspace-check.js';
import { WorkspaceResources } from '../chat/setup/workspace-resources.js';
import { idsOf, refersTo, withNames, withoutPolicies, type NamedPolicies } from './policy-names.js';
import { isObject, secretReference, valuesOf } from './secret-values.js';

const NOTIFIED = ['incidents', 'approvals'] as const;
const SECRETS = ['signing_secret', 'notification_secret'] as const;

/**
 * Chat workspaces in configuration files, identified by platform and workspace. Routing refers to policies by name.
 * Secrets are references, as for connectors. Links of accounts to users are credentials, so files do not contain them.
 */
@Injectable()
export class ChatConfiguration extends ConfigurationKind {
  override readonly kind = 'chat_workspaces';
  override readonly rank = 85;
  override readonly reads = ['itsm:read'] as const;
  override readonly writes = 'itsm:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly workspaces: ChatWorkspaces,
    private readonly resources: WorkspaceResources,
    private readonly adapters: ChatAdapters,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const found = await this.database.snapshot(orgId, em => em.find(ChatWorkspace, { orgId }));
    const routings = found.flatMap(({ notifications: { incidents, approvals } }) => [incidents, approvals]);
    const named = await withNames(this.kinds, orgId, routings);
    return found.map(({ id, platform, workspace, notifications: stored, secretNames }) => {
      const { incidents, approvals } = storedNotifications(stored);
      const notifications = {
        ...(incidents && { incidents: named(incidents) }),
        ...(approvals && { approvals: named(approvals) }),
      };
      const name = nameOf(platform, workspace);
      const secrets = Object.fromEntries(secretNames.map(secret => [secret, secretReference(name, secret)]));
      return { id, name, fields: { platform, workspace, notifications }, secrets };
    });
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const [spoken, secrets] = withoutSecrets(entry);
    const [given, named] = split(spoken);
    const draft = readInput(RegisterWorkspaceDto, given, 'body');
    const { platform, workspace, notifications = {} } = draft;
    const adapter = this.adapters.find(platform);
    if (!adapter) throw BadRequestError.field('platform', `must be one of: ${this.adapters.kinds.join(', ')}`);
    checkWorkspaceId(adapter, workspace);
    checkSettings(adapter, { notifications }, { secretNames: SECRETS });
    const values = valuesOf(secrets);
    const unknown = Object.keys(secrets).find(name => !SECRETS.some(known => known === name));
    if (unknown !== undefined)
      throw BadRequestError.field(`secrets.${unknown}`, `must be one of: ${SECRETS.join(', ')}`);
    // Secrets are validated as in an API request.
    readInput(RegisterWorkspaceDto, { ...Object(given), ...values }, 'body');
    const stored = merged(storedNotifications(notifications), named, ({ names }) => [...names]);
    const fields = { platform, workspace, notifications: stored };
    const refers = NOTIFIED.flatMap(kind => refersTo(named[kind]));
    return { name: nameOf(platform, workspace), fields, secrets: values, refers };
  }

  override async create(actor: Actor, wanted: WantedObject): Promise<undefined> {
    await this.workspaces.register(actor, await this.draft(actor.orgId, wanted));
  }

  override async update(actor: Actor, id: string, wanted: WantedObject): Promise<void> {
    const { signingSecret, notificationSecret, notifications } = await this.draft(actor.orgId, wanted);
    await this.workspaces.change(actor, id, { signingSecret, notificationSecret, notifications });
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.workspaces.delete(actor, id);
  }

  override async changedSecrets(orgId: string, id: string, { secrets = {} }: WantedObject): Promise<string[]> {
    const stored = await this.database.transaction(orgId, em => this.resources.secretsOf(em, { orgId, id }));
    const known = new Map(Object.entries(stored));
    return Object.entries(secrets).flatMap(([name, secret]) => (known.get(name) === secret ? [] : name));
  }

  private async draft(orgId: string, { fields, secrets = {} }: WantedObject): Promise<WorkspaceDraft> {
    const [given, named] = split({ ...fields, ...secrets });
    const { platform, workspace, notifications = {}, ...keys } = readInput(RegisterWorkspaceDto, given, 'body');
    const { signing_secret: signingSecret, notification_secret: notificationSecret } = keys;
    const ids = new Map<NamedPolicies, string[]>();
    for (const list of Object.values(named)) ids.set(list, await idsOf(this.kinds, orgId, list));
    const routed = merged(storedNotifications(notifications), named, list => ids.get(list) ?? []);
    return { platform, workspace, notifications: routed, signingSecret, notificationSecret };
  }
}

function nameOf(platform: string, workspace: string): string {
  return `${platform} ${workspace}`;
}

/** Names of the policies in the routing, for each kind of notification. */
type NamedByKind = Partial<Record<(typeof NOTIFIED)[number], NamedPolicies>>;

/** Splits an entry into the names of its policies and the remaining fields. */
function split(entry: unknown): [unknown, NamedByKind] {
  if (!isObject(entry) || !isObject(entry['notifications'])) return [entry, {}];
  const notifications: Record<string, unknown> = { ...entry['notifications'] };
  const named: NamedByKind = {};
  for (const kind of NOTIFIED) {
    const [routing, list] = withoutPolicies(notifications[kind], `notifications.${kind}`);
    if (!list) continue;
    notifications[kind] = routing;
    named[kind] = list;
  }
  return [{ ...entry, notifications }, named];
}

/** Notification settings whose policies are names or ids. */
function merged(
  { incidents, approvals }: StoredNotifications,
  named: NamedByKind,
  policiesOf: (list: NamedPolicies) => string[],
): StoredNotifications {
  return {
    ...(incidents && {
      incidents: { ...incidents, ...(named.incidents && { policies: policiesOf(named.incidents) }) },
    }),
    ...(approvals && {
      approvals: { ...approvals, ...(named.approvals && { policies: policiesOf(named.approvals) }) },
    }),
  };
}

/** Splits an entry into its fields and its secrets. In files, the secrets are in a separate object. */
function withoutSecrets(entry: unknown): [unknown, JsonObject] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [entry, {}];
  // The entry was parsed from JSON, so its values are JSON.
  const { secrets, ...given } = entry as JsonObject;
  const misplaced = SECRETS.find(name => name in given);
  if (misplaced !== undefined) throw BadRequestError.field(misplaced, `belongs into secrets: { ${misplaced}: … }`);
  if (secrets === undefined) return [given, {}];
  if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) {
    throw BadRequestError.field('secrets', 'must be an object');
  }
  return [given, secrets];
}
