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
import { idsOf, refersTo, withNames, withoutPolicies, type NamedPolicies } from './policy-names.js';
import { isObject, secretReference, valuesOf } from './secret-values.js';

/**
 * Connectors in configuration files. Routing refers to policies by name. Secrets are references, which the client
 * resolves before it sends the document. If a secret is still a reference, the stored value stays.
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
    const named = await withNames(
      this.kinds,
      orgId,
      connectors.map(({ routing }) => routing),
    );
    return connectors.map(connector => ({
      id: connector.id,
      name: connector.name,
      fields: fieldsOf(connector, named(connector.routing)),
      secrets: Object.fromEntries(
        connector.secretNames.map(secret => [secret, secretReference(connector.name, secret)]),
      ),
    }));
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const [given, named] = split(entry);
    const draft = readInput(CreateConnectorDto, withSecrets(given), 'body');
    const adapter = this.resources.adapterFor(draft.kind);
    if (!adapter) throw BadRequestError.field('kind', `must be one of: ${this.resources.kinds.join(', ')}`);
    await this.resources.form.originsOf(adapter, draft.settings);
    const { kind, name, active = true, settings } = draft;
    const routing = { ...keptRouting(draft.routing ?? {}), ...(named && { policies: [...named.names] }) };
    return {
      name,
      fields: { name, kind, active, settings, routing },
      secrets: valuesOf(draft.secrets),
      refers: refersTo(named),
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
    const [given, named] = split({ ...fields, secrets });
    const { routing = {}, active = true, ...draft } = readInput(CreateConnectorDto, given, 'body');
    if (!named) return { ...draft, active, routing };
    const policies = await idsOf(this.kinds, orgId, named);
    return { ...draft, active, routing: { ...keptRouting(routing), policies } };
  }
}

function fieldsOf({ name, kind, active, settings }: Connector, routing: JsonObject): JsonObject {
  return { name, kind, active, settings, routing };
}

function split(entry: unknown): [unknown, NamedPolicies | undefined] {
  if (!isObject(entry)) return [entry, undefined];
  const [routing, named] = withoutPolicies(entry['routing'], 'routing');
  return [named ? { ...entry, routing } : entry, named];
}

function withSecrets(entry: unknown): unknown {
  return isObject(entry) && entry['secrets'] === undefined ? { ...entry, secrets: {} } : entry;
}
