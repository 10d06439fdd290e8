import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject, SecretUnreadableError } from '#core';
import type { ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { AdapterRegistry } from './adapter-registry.js';
import { ConnectorForm } from './connector-form.js';
import { ConnectorSecrets } from './connector-secrets.js';
import { ConnectorWork } from './connector-work.js';
import type { Connector } from './connector.entity.js';
import { REPORT_SECRETS, type ReportSecretName, type ReportSecrets } from './report-secret.js';

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
   * Stores or forgets secrets of reports; those that are not mentioned stay. Returns the names of all secrets that are
   * kept then.
   * @param own names of those that the adapter asks for
   */
  async keepReportSecrets(
    em: EntityManager,
    connector: Connector,
    own: readonly string[],
    given: ReportSecrets,
  ): Promise<string[]> {
    const names = new Set(own);
    for (const name of REPORT_SECRETS) {
      const secret = given[name];
      if (secret !== undefined) await this.secrets.putReportSecret(em, connector, name, secret);
      if (isKept(connector, name, secret)) names.add(name);
      else names.delete(name);
    }
    return [...names].toSorted();
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

function isKept({ secretNames }: Connector, name: ReportSecretName, given: string | null | undefined): boolean {
  return given === undefined ? secretNames.includes(name) : given !== null;
}
