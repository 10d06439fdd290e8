import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import { BadRequestError, type JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { RegisterWorkspaceDto } from '../chat/http/chat-setup.dto.js';
import { ChatAdapters } from '../chat/chat-adapters.js';
import { ChatWorkspace } from '../chat/setup/chat-workspace.entity.js';
import { ChatWorkspaces, type WorkspaceDraft } from '../chat/setup/chat-workspaces.service.js';
import { storedNotifications } from '../chat/setup/notification-routing.js';
import { checkSettings, checkWorkspaceId } from '../chat/setup/workspace-check.js';
import { WorkspaceResources } from '../chat/setup/workspace-resources.js';
import { secretReference, valuesOf } from './secret-values.js';

const SECRETS = ['signing_secret', 'notification_secret'] as const;

/**
 * Chat workspaces in configuration files, identified by platform and workspace. Secrets are references, as for
 * connectors. Links of accounts to users are credentials, so files do not contain them.
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
    return found.map(({ id, platform, workspace, notifications, secretNames }) => {
      const name = nameOf(platform, workspace);
      const secrets = Object.fromEntries(secretNames.map(secret => [secret, secretReference(name, secret)]));
      return { id, name, fields: { platform, workspace, notifications: storedNotifications(notifications) }, secrets };
    });
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const [given, secrets] = withoutSecrets(entry);
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
    // Secrets are validated as in a request.
    readInput(RegisterWorkspaceDto, { ...Object(given), ...values }, 'body');
    const fields = { platform, workspace, notifications: storedNotifications(notifications) };
    return { name: nameOf(platform, workspace), fields, secrets: values };
  }

  override async create(actor: Actor, wanted: WantedObject): Promise<undefined> {
    await this.workspaces.register(actor, draftOf(wanted));
  }

  override async update(actor: Actor, id: string, wanted: WantedObject): Promise<void> {
    const { signingSecret, notificationSecret, notifications } = draftOf(wanted);
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
}

function nameOf(platform: string, workspace: string): string {
  return `${platform} ${workspace}`;
}

function draftOf({ fields, secrets = {} }: WantedObject): WorkspaceDraft {
  const { platform, workspace, notifications, ...given } = readInput(
    RegisterWorkspaceDto,
    { ...fields, ...secrets },
    'body',
  );
  const { signing_secret: signingSecret, notification_secret: notificationSecret } = given;
  return { platform, workspace, notifications: notifications ?? {}, signingSecret, notificationSecret };
}

/** Splits an entry into its fields and its secrets. Files have the secrets in an object of their own. */
function withoutSecrets(entry: unknown): [unknown, JsonObject] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [entry, {}];
  // The entry was parsed from JSON.
  const { secrets, ...given } = entry as JsonObject;
  const misplaced = SECRETS.find(name => name in given);
  if (misplaced !== undefined) throw BadRequestError.field(misplaced, `belongs into secrets: { ${misplaced}: … }`);
  if (secrets === undefined) return [given, {}];
  if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) {
    throw BadRequestError.field('secrets', 'must be an object');
  }
  return [given, secrets];
}
