import { newId, type SqlTransaction } from '#core';
import { timeOf } from './decision-ids.js';

const DAY_MS = 86_400_000;
const NOTHING_RANDOM = Buffer.alloc(10);

/** Orders of a list of decisions. */
export const DECISION_ORDERS = ['newest', 'oldest'] as const;

/** Order of a list of decisions. */
export type DecisionOrder = (typeof DECISION_ORDERS)[number];

/** Which decisions are read, in which order, and how many. */
interface OrderedDecisions {
  /** A statement `select … from … where …`. Conditions on the id are appended. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly limit: number;
  readonly order: DecisionOrder;
  /** Id of a decision. Only decisions that come after it in the order are read. */
  readonly after?: string | undefined;
  /** Time at which the list begins if `after` is missing. */
  readonly start: Date;
}

/** Number of whole UTC days, in addition to the first day, for the first and the second statement. */
const DAYS_AT_FIRST = [1, 15] as const;

/**
 * Reads decisions in order until the page is full: first those of a day or two, then those of two weeks, then all
 * others. Without these bounds, PostgreSQL would plan for the partition of every day. This would take many times longer
 * than reading the page.
 */
export async function orderedDecisions<Row extends object>(
  tx: SqlTransaction,
  { sql, parameters, limit, order, after, start }: OrderedDecisions,
): Promise<Row[]> {
  const isNewest = order === 'newest';
  const time = after === undefined ? start.getTime() : timeOf(after);
  const found: Row[] = [];
  let begin: string | undefined;
  for (const days of [...DAYS_AT_FIRST, undefined]) {
    const end = days === undefined ? undefined : firstIdOf(time, isNewest ? -days : days + 1);
    const [lower, upper] = isNewest ? [end, begin] : [begin, end];
    const values = [...parameters];
    const bound = (comparison: string, id: string | undefined): string =>
      id === undefined ? '' : ` and id ${comparison} $${values.push(id)}::uuid`;
    const range = `${bound(isNewest ? '<' : '>', after)}${bound('>=', lower)}${bound('<', upper)}`;
    const sorted = `order by id ${isNewest ? 'desc' : 'asc'} limit $${values.push(limit - found.length)}`;
    found.push(...(await tx.query<Row>(`${sql}${range} ${sorted}`, values)));
    if (found.length === limit) break;
    begin = end;
  }
  return found;
}

/** The first id of a UTC day. The day is the given number of days away from the day of the given time. */
function firstIdOf(time: number, days: number): string {
  const day = Math.floor(time / DAY_MS) + days;
  return newId(new Date(Math.max(0, day * DAY_MS)), NOTHING_RANDOM);
}
