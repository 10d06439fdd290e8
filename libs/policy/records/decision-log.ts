import { Injectable } from '@nestjs/common';
import { Clock, firstIdAt, NotFoundError, type Page, type PageQuery, type SqlTransaction } from '#core';
import {
  allOf,
  among,
  equal,
  KeysetLists,
  OrgDatabase,
  plainArray,
  plainSql,
  SCHEMA,
  sql,
  sqlOf,
  textArray,
  type CustomList,
} from '#database';
import type { PolicyAction } from '../decide/index.js';
import type {
  DecisionInput,
  DecisionReason,
  MatchedPolicy,
  ShownBudget,
  ShownLimit,
  ShownReservation,
} from './decision.js';
import { DecisionRecorder } from './decision-recorder.js';
import { countedHitDecisions, hitDecisions } from './hit-decisions.js';
import { orderedDecisions, type DecisionOrder } from './ordered-decisions.js';
import { RecordKeeping } from './record-keeping.js';

/** A recorded decision with its inputs. */
export interface RecordedDecision {
  id: string;
  org_id: string;
  user_id: string | null;
  user_email: string | null;
  provider: string;
  model: string;
  action: PolicyAction;
  allowed: boolean;
  reason: DecisionReason;
  policies: MatchedPolicy[];
  attributes: Record<string, unknown>;
  approval_id?: string;
  reservation?: ShownReservation;
  budgets?: ShownBudget[];
  limits?: ShownLimit[];
  retry_after_ms?: number;
  idempotency_key: string | null;
  /** Share of decisions of this kind that is recorded. The record represents 1 / sample_rate decisions. */
  sample_rate: number;
  evaluated_at: string;
}

/** A decision with an idempotency key, and the request for which it was made. */
export type KeyedDecision = RecordedDecision & { request: DecisionInput };

/** Filters of a list of decisions. */
export interface DecisionListQuery extends PageQuery {
  user_id?: string | undefined;
  action?: PolicyAction | readonly PolicyAction[] | undefined;
  /** The model's exact name. */
  model?: string | undefined;
  provider?: string | undefined;
  /** Only decisions in which this policy matched. */
  policy_id?: string | undefined;
  /** Default: `newest`. */
  sort?: DecisionOrder | undefined;
  /** Only decisions at or after this time. */
  since?: Date | undefined;
  /** Only decisions before this time. */
  until?: Date | undefined;
}

/** The organization has no record of a decision with this id. */
export class DecisionNotFoundError extends NotFoundError {
  /** @param why possible reasons, as a separate sentence */
  constructor(id: string, why = '') {
    super(`There is no decision ${id} in your organization.${why}`);
  }
}

type Row = Omit<RecordedDecision, 'approval_id'> & {
  approval_id: string | null;
  spend: Pick<RecordedDecision, 'reservation' | 'budgets' | 'limits' | 'retry_after_ms'> | null;
};

const COLUMNS = `id, org_id, user_id, user_email, provider, model, action, allowed, reason, policies, attributes,
  approval_id, spend, idempotency_key, sample_rate, to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as evaluated_at`;

const OF_KEYS = `
select decision_id as id from ${SCHEMA}.decision_keys where org_id = $1 and idempotency_key = any($2::text[])`;

// The ids are literals in the statement, so that the planner excludes the partitions of other days.
const BY_IDS = `select ${COLUMNS}, request from ${SCHEMA}.decisions where org_id = $1 and id = any($2::uuid[])`;

/** Reads recorded decisions. Decisions of this process are visible at once, those of other processes within 50 ms. */
@Injectable()
export class DecisionLog {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly recorder: DecisionRecorder,
    private readonly keeping: RecordKeeping,
    private readonly clock: Clock,
  ) {}

  /** @throws DecisionNotFoundError */
  async get(orgId: string, id: string): Promise<RecordedDecision> {
    await this.recorder.settle(orgId);
    const [row] = await this.query(orgId, `select ${COLUMNS} from ${SCHEMA}.decisions where org_id = $1 and id = $2`, [
      orgId,
      id,
    ]);
    if (!row) throw new DecisionNotFoundError(id, this.keeping.whyMissing(id));
    return shown(row);
  }

  /** The decision that was made with an idempotency key, and the request for which it was made. */
  async byKey(orgId: string, key: string): Promise<KeyedDecision | undefined> {
    const [first] = await this.byKeys(orgId, [key]);
    return first;
  }

  /** The decisions that were made with idempotency keys, as in {@link byKey}. Unused keys are omitted. */
  byKeys(orgId: string, keys: readonly string[]): Promise<KeyedDecision[]> {
    return this.database.transaction(orgId, em => this.byKeysWithin(sqlOf(em), orgId, keys));
  }

  /** Reads decisions by idempotency key in a running transaction of the organization. */
  async byKeysWithin(tx: SqlTransaction, orgId: string, keys: readonly string[]): Promise<KeyedDecision[]> {
    const found = await tx.query<{ id: string }>(OF_KEYS, [orgId, textArray(keys, key => key)]);
    if (found.length === 0) return [];
    // If the record of a key was deleted, the key counts as unused.
    const ids = plainArray(found, ({ id }) => id);
    const rows = await tx.query<Row & { request: DecisionInput }>(BY_IDS, [orgId, ids]);
    return rows.map(row => Object.assign(shown(row), { request: row.request }));
  }

  /**
   * One page, the newest decision first unless `sort` requests another order. Ids of decisions increase with time.
   * @throws BadRequestError if the cursor is not valid here
   */
  async list(orgId: string, query: DecisionListQuery): Promise<Page<RecordedDecision>> {
    await this.recorder.settle(orgId);
    const { user_id, model, provider, since, until } = query;
    const action = typeof query.action === 'string' ? [query.action] : query.action;
    const where = allOf([
      ...equal({ org_id: orgId, user_id: user_id?.toLowerCase(), model, provider }),
      ...among({ action }),
      since && sql`id >= ${firstIdAt(since)}::uuid`,
      until && sql`id < ${firstIdAt(until)}::uuid`,
    ]);
    const order = query.sort ?? 'newest';
    const policyId = query.policy_id?.toLowerCase();
    const ofPolicy = policyId === undefined ? undefined : { orgId, policyId, where };
    const from = sql`from ${plainSql(SCHEMA)}.decisions where ${where}`;
    const list: CustomList<Row> = {
      name: 'decisions',
      filters: {
        ...{ user_id, model, provider, action: action?.toSorted().join() },
        ...{ since: since?.getTime(), until: until?.getTime(), policy_id: policyId, sort: query.sort },
      },
      keepCount: true,
      counted: ofPolicy ? countedHitDecisions(ofPolicy) : sql`select 1 ${from}`.statement,
      position: ({ id }: Row) => [id],
      read: (em, { limit, after }) => {
        const page = { limit, order, after: after && String(after[0]) };
        if (ofPolicy) return hitDecisions<Row>(sqlOf(em), ofPolicy, { ...page, columns: COLUMNS });
        const { statement } = sql`select ${plainSql(COLUMNS)} ${from}`;
        return orderedDecisions<Row>(sqlOf(em), { ...statement, ...page, start: this.startOf(order, since, until) });
      },
    };
    return this.lists.page(orgId, query, list, shown);
  }

  /** The time at which a list begins, depending on its order. */
  private startOf(order: DecisionOrder, since: Date | undefined, until: Date | undefined): Date {
    const now = this.clock.now();
    if (order === 'newest') return until && until < now ? until : now;
    return since ?? this.keeping.keptSince();
  }

  private query(orgId: string, sql: string, parameters: unknown[]): Promise<Row[]> {
    return this.database.transaction(orgId, em => sqlOf(em).query<Row>(sql, parameters));
  }
}

function shown({ approval_id, spend, ...row }: Row): RecordedDecision {
  return { ...row, ...(approval_id !== null && { approval_id }), ...spend };
}
