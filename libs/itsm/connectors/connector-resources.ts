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
export class ConnectorResources {
  constructor(
    private readonly adapters: AdapterRegistry,
    readonly form: ConnectorForm,
    readonly secrets: ConnectorSecrets,
    readonly work: ConnectorWork,
  ) {}

  /** Kinds of which connectors can be created. */
  get kinds(): string[] {
    return this.adapters.all.map(({ kind }) => kind);
  }

  adapterFor(kind: string): ItsmAdapter | undefined {
    return this.adapters.named(kind);
  }

  /** Stores the secrets of a new connector. If the connector is inactive, puts its tasks on hold. */
  async equip(em: EntityManager, connector: Connector, origins: readonly string[], secrets: JsonObject): Promise<void> {
    await this.secrets.put(em, connector, origins, secrets);
    if (!connector.active) await this.work.follow(em, connector.orgId, connector.id, false);
  }

  /**
   * Stores or deletes secrets of reports. A secret that is missing in `given` stays. Returns the names of all secrets
   * that are stored afterwards.
   * @param own names of the secrets that the adapter defines
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

  /** Returns the secrets of a connector, or an error if they cannot be read. */
  async secretsOf(
    em: EntityManager,
    { orgId, id }: Connector,
    origins: readonly string[],
  ): Promise<JsonObject | SecretUnreadableError> {
    const found = await this.secrets.of(em, [{ orgId, id, origins }]);
    return found.get(id) ?? {};
  }

  /** Rejects waiting tickets and deletes the secrets. */
  async discard(em: EntityManager, { orgId, id }: Connector, now: Date): Promise<void> {
    await this.work.discard(em, orgId, id, now);
    await this.secrets.discard(em, { orgId, id });
  }
}

function isKept({ secretNames }: Connector, name: ReportSecretName, given: string | null | undefined): boolean {
  return given === undefined ? secretNames.includes(name) : given !== null;
}
