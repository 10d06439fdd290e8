import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId, SecretUnreadableError, type JsonObject } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import type { ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { originsOf } from './adapter-origins.js';
import { ConnectorResources } from './connector-resources.js';
import { Connector, type ConnectorFields } from './connector.entity.js';
import {
  AdapterMissingError,
  CONNECTORS_MAX,
  ConnectorNameTakenError,
  ConnectorNotFoundError,
  TooManyConnectorsError,
} from './connector.errors.js';
import { REPORT_SECRETS, splitSecrets, type ReportSecrets } from './report-secret.js';

/** Fields of a new connector. */
export interface ConnectorDraft extends ConnectorFields {
  readonly kind: string;
  readonly secrets: JsonObject;
}

/** Fields of a connector to change. Only the supplied secrets change. Null removes a secret. */
export type ConnectorPatch = Partial<ConnectorFields & { readonly kind: string; readonly secrets: JsonObject }>;

/** Manages the connectors of an organization. Each change and its audit entry share a transaction. */
@Injectable()
export class ConnectorService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly resources: ConnectorResources,
  ) {}

  /**
   * Creates a connector.
   * @throws BadRequestError naming every invalid field, or saying why the platform may not be called
   * @throws ConnectorNameTakenError
   * @throws TooManyConnectorsError
   */
  async create(actor: Actor, { kind, secrets, ...fields }: ConnectorDraft): Promise<Connector> {
    const adapter = this.resources.adapterFor(kind);
    if (!adapter) throw BadRequestError.field('kind', `must be one of: ${this.resources.kinds.join(', ')}`);
    const origins = await this.resources.form.originsOf(adapter, fields.settings);
    const { own, reports } = splitSecrets(secrets);
    this.resources.form.checkSecrets(adapter, own);
    const reportSecrets = this.resources.form.readReportSecrets(adapter, reports);
    const { orgId } = actor;
    const now = this.clock.now();
    const connector = Connector.create(orgId, newId(now), kind, fields, now);
    return this.database.transaction(orgId, async em => {
      await lockConnectors(em, orgId);
      if ((await em.count(Connector, { orgId })) >= CONNECTORS_MAX) throw new TooManyConnectorsError();
      await refuseName(em, connector);
      await this.resources.equip(em, connector, origins, own);
      connector.secretNames = await this.resources.keepReportSecrets(em, connector, Object.keys(own), reportSecrets);
      em.persist(connector);
      await this.remember(em, actor, 'created', connector.id, null, audited(connector));
      return connector;
    });
  }

  /** @throws ConnectorNotFoundError */
  async get(orgId: string, id: string): Promise<Connector> {
    return this.database.transaction(orgId, em => findConnector(em, orgId, id));
  }

  /**
   * Changes the supplied fields only. Waiting tickets are sent with the new settings. If more than the name or the
   * routing changes, recently rejected tickets are retried. Secrets are sent only to the origins for which they were
   * entered.
   * @throws ConnectorNotFoundError
   * @throws BadRequestError naming every invalid field, and all required secrets if the origins change
   * @throws ConnectorNameTakenError
   * @throws AdapterMissingError if settings or secrets change
   */
  async change(actor: Actor, id: string, { kind, secrets, ...fields }: ConnectorPatch): Promise<Connector> {
    const { orgId } = actor;
    const known = await this.get(orgId, id);
    if (kind !== undefined && kind !== known.kind) {
      throw BadRequestError.field('kind', 'cannot change; create another connector');
    }
    const touchesForm = fields.settings !== undefined || secrets !== undefined;
    const adapter = touchesForm ? this.resources.adapterFor(known.kind) : undefined;
    if (touchesForm && !adapter) throw new AdapterMissingError(known.kind);
    const { own, reports } = splitSecrets(secrets ?? {});
    const reportSecrets = this.resources.form.readReportSecrets(adapter, reports);
    // The check makes DNS queries, which must not happen within the transaction.
    if (adapter) await this.resources.form.originsOf(adapter, fields.settings ?? known.settings);
    return this.database.transaction(orgId, async em => {
      await lockConnectors(em, orgId);
      const connector = await findConnector(em, orgId, id);
      const before = audited(connector);
      const wasActive = connector.active;
      await this.resources.work.tryAgain(em, orgId, id);
      const kept = adapter && (await this.keep(em, connector, adapter, own, fields.settings));
      const names = await this.resources.keepReportSecrets(em, connector, kept ?? connector.secretNames, reportSecrets);
      const hasNewSecrets = kept !== undefined || hasNewReportSecret(connector, reportSecrets);
      if (fields.active !== undefined && fields.active !== wasActive) {
        await this.resources.work.follow(em, orgId, id, fields.active);
      }
      connector.secretNames = names;
      if (!connector.change(fields, hasNewSecrets, this.clock.now())) return connector;
      const isMended = touchesForm || (connector.active && !wasActive);
      await refuseName(em, connector);
      if (isMended) {
        // An attempt in progress either has its ticket rejected before the new revision is written, or it sees the new
        // revision and retries.
        await em.flush();
        await this.resources.work.retryRejected(em, orgId, id);
      }
      await this.remember(em, actor, 'updated', id, before, {
        ...audited(connector),
        secrets_changed: hasNewSecrets,
      });
      return connector;
    });
  }

  /**
   * Deletes a connector. Its waiting tickets are rejected. All tickets stay in the ledger.
   * @throws ConnectorNotFoundError
   */
  async delete(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      await lockConnectors(em, orgId);
      const connector = await findConnector(em, orgId, id);
      await this.resources.discard(em, connector, this.clock.now());
      em.remove(connector);
      await this.remember(em, actor, 'deleted', id, audited(connector), null);
    });
  }

  /** Stores changed secrets. Returns the names of all stored secrets. */
  private async keep(
    em: EntityManager,
    connector: Connector,
    adapter: ItsmAdapter,
    given: JsonObject,
    settings: JsonObject = connector.settings,
  ): Promise<string[] | undefined> {
    // A newer version of the adapter may require other settings than the stored ones. In that case, the connector has
    // no origins.
    const before = originsOf(adapter, connector.settings) ?? [];
    const origins = originsOf(adapter, settings) ?? [];
    const moved = JSON.stringify(before.toSorted()) !== JSON.stringify(origins.toSorted());
    if (!moved && Object.keys(given).length === 0) return undefined;
    const old = moved ? {} : await this.resources.secretsOf(em, connector, before);
    const isLost = old instanceof SecretUnreadableError;
    const values = withoutNull({ ...(isLost ? {} : old), ...given });
    if (moved) this.resources.form.checkNewSecrets(adapter, values, origins);
    else this.resources.form.checkSecrets(adapter, values);
    await this.resources.secrets.put(em, connector, origins, values);
    return Object.keys(values).toSorted();
  }

  private async remember(
    em: EntityManager,
    actor: Actor,
    verb: string,
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    await this.audit.append(em, actor, {
      action: `itsm_connector.${verb}`,
      resourceType: 'itsm_connector',
      resourceId,
      before,
      after,
    });
  }
}

/** @throws ConnectorNotFoundError */
export async function findConnector(em: EntityManager, orgId: string, id: string): Promise<Connector> {
  const connector = await em.findOne(Connector, { orgId, id });
  if (!connector) throw new ConnectorNotFoundError(id);
  return connector;
}

/** Makes changes of the connectors of one organization wait for each other. */
async function lockConnectors(em: EntityManager, orgId: string): Promise<void> {
  await sqlOf(em).query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`governance connectors of ${orgId}`]);
}

async function refuseName(em: EntityManager, { orgId, id, name }: Connector): Promise<void> {
  const taken = await sqlOf(em).query(
    'select 1 from governance.itsm_connectors where org_id = $1 and lower(name) = lower($2) and id <> $3',
    [orgId, name, id],
  );
  if (taken.length > 0) throw new ConnectorNameTakenError(name);
}

/** The audit log's representation of secrets: their names, never their values. */
function audited({ kind, name, active, settings, routing, secretNames }: Connector): JsonObject {
  return { kind, name, active, settings, routing, secret_names: [...secretNames] };
}

/** Whether the input sets or removes a report secret. */
function hasNewReportSecret({ secretNames }: Connector, given: ReportSecrets): boolean {
  return REPORT_SECRETS.some(
    name => typeof given[name] === 'string' || (given[name] === null && secretNames.includes(name)),
  );
}

function withoutNull(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
