import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Page, PageQuery, SqlTransaction } from '#core';
import {
  allOf,
  isoTime,
  KeysetLists,
  OrgDatabase,
  plainSql,
  SCHEMA,
  sql,
  sqlOf,
  type CustomList,
  type Sql,
} from '#database';
import { PartitionUpkeep } from '#outbox';
import { PolicyNotFoundError } from '../policies/policy.errors.js';
import { DecisionRecorder } from '../records/decision-recorder.js';
import { RecordKeeping } from '../records/record-keeping.js';

/** Lengths of the windows in which hits are listed. */
export const HIT_PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const;

/** Length of the windows in which hits are listed. */
export type HitPeriod = (typeof HIT_PERIODS)[number];

/**
 * Counts of decisions that a policy matched. If decisions are sampled, a record counts as all decisions that it
 * represents.
 */
export interface HitFigures {
  readonly hits: number;
  /** Number of hits in which the policy determined the action, because no matching policy had a higher precedence. */
  readonly decided: number;
  /** Number of hits whose decision was not allowed, for any reason. */
  readonly refused: number;
  readonly last_hit_at: string;
}

/** Hits of one policy. */
export interface PolicyHits extends HitFigures {
  readonly policy_id: string;
  /** Name of the policy in its latest version. */
  readonly name: string | null;
}

/** Hits of one policy in one window. */
export interface PolicyHitWindow extends HitFigures {
  readonly policy_id: string;
  readonly window_start: string;
  /** Exclusive. */
  readonly window_end: string;
}

/** Time range and page of a list. */
export interface HitListQuery extends PageQuery {
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

/** PostgreSQL's names of the periods. */
const UNITS: Readonly<Record<HitPeriod, string>> = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' };

const QUARTER_MS = 900_000;

const SUMS = plainSql(`round(sum(h.hits)) as hits, round(sum(h.decided)) as decided, round(sum(h.refused)) as refused,
  ${isoTime('max(h.last_at)')} as last_hit_at`);
const HITS = plainSql(`${SCHEMA}.policy_hits h`);

const EXISTED = `select 1 as existed from ${SCHEMA}.policy_versions where org_id = $1 and policy_id = $2 limit 1`;

const FORGET = `select ${SCHEMA}.forget_policy_hits($1, $2)::integer as forgotten`;
/** Number of rows that one statement deletes. */
const PIECE = 20_000;

/** Lists how often policies matched. The counts are updated with every record. */
@Injectable()
export class PolicyHitLists implements OnModuleInit {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly recorder: DecisionRecorder,
    private readonly keeping: RecordKeeping,
    private readonly upkeep: PartitionUpkeep,
  ) {}

  /** Counts are kept as long as decision records. */
  onModuleInit(): void {
    this.upkeep.addSweep(() => this.forget());
  }

  /**
   * One page of the policies that matched in a time range, including deleted ones, the newest policy first.
   * @throws BadRequestError if the cursor is not valid here
   */
  async list(orgId: string, query: HitListQuery): Promise<Page<PolicyHits>> {
    await this.recorder.settle(orgId);
    const where = rangeOf(orgId, query);
    const list: CustomList<PolicyHits> = {
      name: 'policy hits',
      filters: timesOf(query),
      counted: sql`select 1 from ${HITS} where ${where} group by h.policy_id`.statement,
      position: ({ policy_id }) => [policy_id],
      async read(em, { limit, after }) {
        const place = after ? sql`and h.policy_id < ${after[0]}::uuid` : plainSql('');
        const page = sql`select h.policy_id, ${SUMS} from ${HITS} where ${where} ${place}
          group by h.policy_id order by h.policy_id desc limit ${limit}`;
        const named = sql`select p.policy_id, (
            select v.content ->> 'name' from ${plainSql(SCHEMA)}.policy_versions v
            where v.org_id = ${orgId} and v.policy_id = p.policy_id order by v.version desc limit 1) as name,
          p.hits, p.decided, p.refused, p.last_hit_at from (${page}) p order by p.policy_id desc`;
        return rowsOf(sqlOf(em), named);
      },
    };
    return this.lists.page(orgId, query, list, row => row);
  }

  /**
   * One page of the windows in which a policy matched, the newest first. Windows begin in the time zone of the
   * organization.
   * @throws PolicyNotFoundError if the policy never existed
   * @throws BadRequestError if the cursor is not valid here
   */
  async windowsOf(
    orgId: string,
    policyId: string,
    query: HitListQuery,
    period: HitPeriod,
  ): Promise<Page<PolicyHitWindow>> {
    await this.recorder.settle(orgId);
    const unit = UNITS[period];
    const where = sql`${rangeOf(orgId, query)} and h.policy_id = ${policyId}::uuid`;
    const from = plainSql(`${SCHEMA}.policy_hits h join ${SCHEMA}.organizations o on o.id = h.org_id`);
    const windows = sql`select date_trunc(${unit}::text, h.quarter, o.time_zone) as at, o.time_zone, ${SUMS}
      from ${from} where ${where}`;
    const list: CustomList<PolicyHitWindow> = {
      name: 'policy hit windows',
      filters: { ...timesOf(query), policy_id: policyId, period },
      counted: sql`${windows} group by 1, 2`.statement,
      position: ({ window_start }) => [window_start],
      async read(em, { limit, after }) {
        const place = after ? sql`and h.quarter < ${after[0]}::timestamptz` : plainSql('');
        const page = sql`${windows} ${place} group by 1, 2 order by 1 desc limit ${limit}`;
        const end = `(w.at at time zone w.time_zone + interval '1 ${unit}') at time zone w.time_zone`;
        const shown = sql`select ${policyId} as policy_id, ${plainSql(isoTime('w.at'))} as window_start,
          ${plainSql(isoTime(`(${end})`))} as window_end, w.hits, w.decided, w.refused, w.last_hit_at
          from (${page}) w order by w.at desc`;
        return rowsOf(sqlOf(em), shown);
      },
    };
    return this.database.snapshot(orgId, async em => {
      const [existed] = await sqlOf(em).query(EXISTED, [orgId, policyId]);
      if (!existed) throw new PolicyNotFoundError(policyId);
      return this.lists.pageWithin(em, orgId, query, list);
    });
  }

  private async forget(): Promise<void> {
    for (let forgotten = PIECE; forgotten >= PIECE;) {
      const [row] = await this.database.upkeep<{ forgotten: number }>(FORGET, [this.keeping.retentionDays, PIECE]);
      forgotten = row?.forgotten ?? 0;
    }
  }
}

function rowsOf<Row extends object>(tx: SqlTransaction, query: Sql): Promise<Row[]> {
  const { sql: text, parameters } = query.statement;
  return tx.query<Row>(text, parameters);
}

/** Condition on the quarters of an hour that overlap with a time range. */
function rangeOf(orgId: string, { since, until }: HitListQuery): Sql {
  return allOf([
    sql`h.org_id = ${orgId}`,
    since && sql`h.quarter >= ${new Date(floorOf(since)).toISOString()}::timestamptz`,
    until && sql`h.quarter < ${until.toISOString()}::timestamptz`,
  ]);
}

function timesOf({ since, until }: HitListQuery): { since: number | undefined; until: number | undefined } {
  return { since: since?.getTime(), until: until?.getTime() };
}

function floorOf(time: Date): number {
  return time.getTime() - (time.getTime() % QUARTER_MS);
}
