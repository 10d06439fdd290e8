import { newId, type SqlTransaction } from '#core';
import { timeOf } from './decision-ids.js';

const DAY_MS = 86_400_000;
const NOTHING_RANDOM = Buffer.alloc(10);

/** Which decisions to read, and how many. */
interface NewestDecisions {
  /** `select … from … where …`, to which conditions on the id can be added. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly limit: number;
  /** Only those before this one. */
  readonly before?: string | undefined;
  readonly now: Date;
}

/** Whole UTC days before the newest one that are read first, then next. */
const DAYS_AT_FIRST = [1, 15] as const;

/**
 * Reads the newest decisions first: those of a day or two, then those of two weeks, then the others, until the page
 * is full. Without bounds, PostgreSQL would plan for the partition of every day, which takes many times longer than
 * to read the page.
 */
export async function newestDecisions<Row extends object>(
  tx: SqlTransaction,
  { sql, parameters, limit, before, now }: NewestDecisions,
): Promise<Row[]> {
  const time = before === undefined ? now.getTime() : timeOf(before);
  const found: Row[] = [];
  let end = before;
  for (const start of [...DAYS_AT_FIRST.map(days => firstIdOf(time, days)), undefined]) {
    const values = [...parameters];
    const from = start === undefined ? '' : ` and id >= $${values.push(start)}::uuid`;
    const upTo = end === undefined ? '' : ` and id < $${values.push(end)}::uuid`;
    const most = `limit $${values.push(limit - found.length)}`;
    found.push(...(await tx.query<Row>(`${sql}${from}${upTo} order by id desc ${most}`, values)));
    if (found.length === limit) break;
    end = start;
  }
  return found;
}

/** The first id of the UTC day that is `days` before the day of a time. */
function firstIdOf(time: number, days: number): string {
  const day = Math.floor(time / DAY_MS) - days;
  return newId(new Date(Math.max(0, day * DAY_MS)), NOTHING_RANDOM);
}
