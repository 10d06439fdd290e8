import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA, textArray } from '#database';
import { AdapterRegistry } from '../connectors/adapter-registry.js';

const STEP = 100;

const DUE = `select org_id, id from ${SCHEMA}.connectors_to_reconcile($1::text[], $2, ${STEP})`;

/** A connector whose poll is due. */
interface DueConnector {
  readonly org_id: string;
  readonly id: string;
  readonly now: Date;
  readonly before: Date;
}

/** Finds the connectors of all organizations whose poll is due. */
@Injectable()
export class DueConnectors {
  constructor(
    private readonly database: OrgDatabase,
    private readonly adapters: AdapterRegistry,
    private readonly clock: Clock,
  ) {}

  async find(intervalMs: number): Promise<DueConnector[]> {
    const kinds = this.adapters.all.filter(adapter => adapter.status !== undefined).map(({ kind }) => kind);
    const now = this.clock.now();
    const before = new Date(now.getTime() - intervalMs);
    const rows = await this.database.global<{ org_id: string; id: string }>(DUE, [
      textArray(kinds, kind => kind),
      before,
    ]);
    return rows.map(({ org_id, id }) => ({ org_id, id, now, before }));
  }
}
