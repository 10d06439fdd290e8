import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretUnreadableError, type JsonObject } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf } from '#database';
import { originsOf } from '../connectors/adapter-origins.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { ConnectorSecrets } from '../connectors/connector-secrets.js';
import type { ReadyConnector } from './ticket-attempts.js';

interface Row {
  id: string;
  kind: string;
  active: boolean;
  settings: JsonObject;
  revision: number;
  problem_until_ms: number | null;
}

const READ = prepared(
  'ready_connectors',
  `
select id, kind, active, settings, revision, (extract(epoch from problem_until) * 1000)::float8 as problem_until_ms
from ${SCHEMA}.itsm_connectors where org_id = $1 and id = any ($2::uuid[])`,
);

/** Reads connectors and their secrets in the current version, for sending. */
@Injectable()
export class ReadyConnectors {
  constructor(
    private readonly adapters: AdapterRegistry,
    private readonly secrets: ConnectorSecrets,
  ) {}

  /**
   * Returns connectors by id. Deleted connectors are missing. Secrets that were entered for other origins count as
   * unreadable.
   */
  async read(em: EntityManager, orgId: string, ids: readonly string[]): Promise<Map<string, ReadyConnector>> {
    const ready = await this.readOnce(em, orgId, ids);
    const isDoubtful = [...ready.values()].some(({ secrets }) => secrets instanceof SecretUnreadableError);
    // Between the two statements, a user may change the origin and the secrets.
    return isDoubtful ? this.readOnce(em, orgId, ids) : ready;
  }

  private async readOnce(
    em: EntityManager,
    orgId: string,
    ids: readonly string[],
  ): Promise<Map<string, ReadyConnector>> {
    const rows = await sqlOf(em).query<Row>(READ, [orgId, plainArray(ids, id => id)]);
    const secrets = await this.secrets.of(
      em,
      rows.map(({ id, kind, settings }) => {
        const adapter = this.adapters.named(kind);
        return { orgId, id, origins: (adapter && originsOf(adapter, settings)) ?? [] };
      }),
    );
    return new Map(rows.map(row => [row.id, readyOf(orgId, row, secrets.get(row.id) ?? {})]));
  }
}

function readyOf(orgId: string, row: Row, secrets: JsonObject | SecretUnreadableError): ReadyConnector {
  const { id, kind, active, settings, revision, problem_until_ms: until } = row;
  return {
    orgId,
    id,
    kind,
    active,
    settings,
    revision,
    secrets,
    problemUntil: until === null ? null : new Date(until),
  };
}
