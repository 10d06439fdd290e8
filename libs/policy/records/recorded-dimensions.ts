import { Injectable } from '@nestjs/common';
import { Clock, DecisionDimensions, type DecidedFor, type SqlTransaction } from '#core';
import { OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { timeOf } from './decision-ids.js';
import { decidedFor, RecentDecisions, type NotedDecision } from './recent-decisions.js';
import { RecordKeeping } from './record-keeping.js';

// The ids are literals, so that the planner prunes the partitions of other days.
const BY_IDS = `
select id, user_id as "userId", attributes ->> 'department' as department, attributes -> 'project' as project,
  attributes -> 'tags' as tags, token_id as "tokenId"
from ${SCHEMA}.decisions where org_id = $1 and id = any($2::uuid[])`;

/** Pauses between two reads, in milliseconds. Another replica writes a record within 50 ms of its response. */
const PAUSES_MS = [40, 80, 160];
/**
 * Maximum age of a decision in milliseconds for which a missing record may still be written. It includes the difference
 * between the clocks of replicas.
 */
const FRESH_MS = 2_000;

interface Row extends NotedDecision {
  readonly id: string;
}

/** Reads the dimensions of decisions. The newest decisions are in memory; for all others, the records are read. */
@Injectable()
export class RecordedDimensions extends DecisionDimensions {
  constructor(
    private readonly database: OrgDatabase,
    private readonly recent: RecentDecisions,
    private readonly keeping: RecordKeeping,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async of(
    orgId: string,
    decisionIds: readonly string[],
    tx?: SqlTransaction,
  ): Promise<Map<string, DecidedFor>> {
    const known = this.recent.of(orgId, decisionIds);
    let missing = decisionIds.filter(id => !known.has(id));
    for (const pause of [0, ...PAUSES_MS]) {
      if (missing.length === 0) break;
      if (pause > 0) await new Promise(done => setTimeout(done, pause));
      for (const row of await this.read(orgId, missing, tx)) known.set(row.id, decidedFor(row));
      missing = missing.filter(id => !known.has(id) && this.isAwaited(id));
    }
    return known;
  }

  private read(orgId: string, decisionIds: readonly string[], tx: SqlTransaction | undefined): Promise<Row[]> {
    const parameters = [orgId, plainArray(decisionIds, id => id)];
    if (tx) return tx.query<Row>(BY_IDS, parameters);
    return this.database.transaction(orgId, em => sqlOf(em).query<Row>(BY_IDS, parameters));
  }

  /** Whether another replica may be about to write the record. */
  private isAwaited(id: string): boolean {
    return Math.abs(this.clock.now().getTime() - timeOf(id)) < FRESH_MS && !this.keeping.mayBeLeftOut(id);
  }
}
