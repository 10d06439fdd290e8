import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject, SecretUnreadableError } from '#core';
import type { ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { AdapterRegistry } from './adapter-registry.js';
import { ConnectorForm } from './connector-form.js';
import { ConnectorSecrets } from './connector-secrets.js';
import { ConnectorWork } from './connector-work.js';
import type { Connector } from './connector.entity.js';
import { REPORT_SECRET } from './report-secret.js';

/** The parts of a connector outside its row: adapter, form, secrets and waiting tickets. */
@Injectable()
export class ConnectorCleanup {
  constructor(
    private readonly adapters: AdapterRegistry,
    readonly form: ConnectorForm,
    readonly secrets: ConnectorSecrets,
    readonly work: ConnectorWork,
  ) {}

  /** Kinds that connectors can be created for. */
  get kinds(): string[] {
    return this.adapters.all.map(({ kind }) => kind);
  }

  adapterFor(kind: string): ItsmAdapter | undefined {
    return this.adapters.named(kind);
  }

  /** Seals the first secrets. */
  async equip(em: EntityManager, connector: Connector, origins: readonly string[], secrets: JsonObject): Promise<void> {
    await this.secrets.put(em, connector, origins, secrets);
    if (!connector.active) await this.work.follow(em, connector.orgId, connector.id, false);
  }

  /**
   * Stores or forgets the secret of reports; undefined leaves it. Returns the names of all secrets that are kept then.
   * @param own names of those that the adapter asks for
   */
  async keepReportSecret(
    em: EntityManager,
    connector: Connector,
    own: readonly string[],
    secret: string | null | undefined,
  ): Promise<string[]> {
    if (secret !== undefined) await this.secrets.putReportSecret(em, connector, secret);
    const isKept = secret === undefined ? connector.secretNames.includes(REPORT_SECRET) : secret !== null;
    return [...own.filter(name => name !== REPORT_SECRET), ...(isKept ? [REPORT_SECRET] : [])].toSorted();
  }

  /** The secrets of a connector as they are, or why they cannot be had. */
  async secretsOf(
    em: EntityManager,
    { orgId, id }: Connector,
    origins: readonly string[],
  ): Promise<JsonObject | SecretUnreadableError> {
    const found = await this.secrets.of(em, [{ orgId, id, origins }]);
    return found.get(id) ?? {};
  }

  /** Ends everything that waits, and forgets the secrets. */
  async discard(em: EntityManager, { orgId, id }: Connector, now: Date): Promise<void> {
    await this.work.discard(em, orgId, id, now);
    await this.secrets.discard(em, { orgId, id });
  }
}
