import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import { BadRequestError, SecretUnreadableError, type JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { keptRouting } from '../decide/routing.js';
import { CreateConnectorDto } from '../http/connector.dto.js';
import { originsOf } from '../connectors/adapter-origins.js';
import { ConnectorResources } from '../connectors/connector-resources.js';
import { Connector } from '../connectors/connector.entity.js';
import { ConnectorService, findConnector } from '../connectors/connector.service.js';
import { REPORT_SECRETS, splitSecrets } from '../connectors/report-secret.js';
import { isObject, secretReference, valuesOf } from './secret-values.js';

const POLICIES = 'policies';

/**
 * Connectors in configuration files. Routing refers to policies by name. Secrets are references, which the client
 * resolves before it sends the document. A secret that is still a reference keeps the stored value.
 */
@Injectable()
export class ConnectorConfiguration extends ConfigurationKind {
  override readonly kind = 'connectors';
  override readonly rank = 70;
  override readonly reads = ['itsm:read'] as const;
  override readonly writes = 'itsm:write';
  override readonly fixed = ['kind'];

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly connectors: ConnectorService,
    private readonly resources: ConnectorResources,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const connectors = await this.database.snapshot(orgId, em => em.find(Connector, { orgId }));
    const names = connectors.some(({ routing }) => routing.policies) ? await this.policies(orgId, 'id', 'name') : NONE;
    return connectors.map(connector => ({
      id: connector.id,
      name: connector.name,
      fields: fieldsOf(connector, id => names.get(id) ?? id),
      secrets: Object.fromEntries(
        connector.secretNames.map(secret => [secret, secretReference(connector.name, secret)]),
      ),
    }));
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const [given, named] = withoutPolicies(entry);
    const draft = readInput(CreateConnectorDto, withSecrets(given), 'body');
    const adapter = this.resources.adapterFor(draft.kind);
    if (!adapter) throw BadRequestError.field('kind', `must be one of: ${this.resources.kinds.join(', ')}`);
    await this.resources.form.originsOf(adapter, draft.settings);
    const { kind, name, active = true, settings } = draft;
    const routing = { ...keptRouting(draft.routing ?? {}), ...(named && { policies: named }) };
    return {
      name,
      fields: { name, kind, active, settings, routing },
      secrets: valuesOf(draft.secrets),
      refers: (named ?? []).map(policy => ({ kind: POLICIES, name: policy, field: 'routing.policies' })),
    };
  }

  override async create(actor: Actor, wanted: WantedObject): Promise<undefined> {
    await this.connectors.create(actor, await this.draft(actor.orgId, wanted));
  }

  override async update(actor: Actor, id: string, wanted: WantedObject): Promise<void> {
    const { secrets, ...draft } = await this.draft(actor.orgId, wanted);
    await this.connectors.change(actor, id, { ...draft, ...(Object.keys(secrets).length > 0 ? { secrets } : {}) });
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.connectors.delete(actor, id);
  }

  override async changedSecrets(orgId: string, id: string, { secrets = {} }: WantedObject): Promise<string[]> {
    const { own, reports } = splitSecrets(secrets);
    return this.database.transaction(orgId, async em => {
      const connector = await findConnector(em, orgId, id);
      const adapter = this.resources.adapterFor(connector.kind);
      const origins = (adapter && originsOf(adapter, connector.settings)) ?? [];
      const stored = await this.resources.secretsOf(em, connector, origins);
      const values = stored instanceof SecretUnreadableError ? {} : stored;
      const changed = Object.keys(own).filter(name => !isDeepStrictEqual(own[name] ?? null, values[name] ?? null));
      for (const name of REPORT_SECRETS) {
        if (reports[name] === undefined) continue;
        const [known] = await this.resources.secrets.reportSecretsOf(em, [connector], name);
        if ((known ?? null) !== reports[name]) changed.push(name);
      }
      return changed;
    });
  }

  private async draft(orgId: string, { fields, secrets = {} }: WantedObject) {
    const [given, named] = withoutPolicies({ ...fields, secrets });
    const { routing = {}, active = true, ...draft } = readInput(CreateConnectorDto, given, 'body');
    if (!named) return { ...draft, active, routing };
    const ids = await this.policies(orgId, 'name', 'id');
    const policies = named.map(name => {
      const id = ids.get(name);
      if (id === undefined)
        throw BadRequestError.field('routing.policies', `there is no policy ${JSON.stringify(name)}`);
      return id;
    });
    return { ...draft, active, routing: { ...keptRouting(routing), policies } };
  }

  private async policies(orgId: string, from: 'id' | 'name', to: 'id' | 'name'): Promise<Map<string, string>> {
    const all = (await this.kinds.named(POLICIES)?.list(orgId)) ?? [];
    return new Map(all.map(policy => [policy[from], policy[to]]));
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

function fieldsOf({ name, kind, active, settings, routing }: Connector, nameOf: (id: string) => string): JsonObject {
  const { policies, ...others } = routing;
  return { name, kind, active, settings, routing: { ...others, ...(policies && { policies: policies.map(nameOf) }) } };
}

/** Splits an entry into the fields of a request and the policy names, which requests do not have. */
function withoutPolicies(entry: unknown): [unknown, string[] | undefined] {
  if (!isObject(entry) || !isObject(entry['routing']) || entry['routing'][POLICIES] === undefined) {
    return [entry, undefined];
  }
  const { policies, ...routing } = entry['routing'];
  if (!Array.isArray(policies) || policies.length === 0 || !policies.every(name => typeof name === 'string')) {
    throw BadRequestError.field('routing.policies', 'must be a list of one or more names of policies');
  }
  return [{ ...entry, routing }, policies];
}

function withSecrets(entry: unknown): unknown {
  return isObject(entry) && entry['secrets'] === undefined ? { ...entry, secrets: {} } : entry;
}
