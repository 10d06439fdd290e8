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

/**
 * Reads the newest decisions, the newest first. They are mostly of one day or the day before it, where there is another
 * page at all: the partitions of those days are read first, and the others only where something is missing. Without
 * bounds PostgreSQL would plan for each of them, which takes it longer than to read the page.
 */
export async function newestDecisions<Row extends object>(
  tx: SqlTransaction,
  { sql, parameters, limit, before, now }: NewestDecisions,
): Promise<Row[]> {
  const read = (conditions: readonly (readonly [operator: string, id: string])[], most: number): Promise<Row[]> => {
    const values = [...parameters];
    const bounds = conditions.map(([operator, id]) => ` and id ${operator} $${values.push(id)}::uuid`).join('');
    return tx.query<Row>(`${sql}${bounds} order by id desc limit $${values.push(most)}`, values);
  };
  const from = firstIdBefore(before === undefined ? now.getTime() : timeOf(before));
  const upTo = before === undefined ? [] : [['<', before] as const];
  const recent = await read([['>=', from], ...upTo], limit);
  if (recent.length === limit) return recent;
  return [...recent, ...(await read([['<', from]], limit - recent.length))];
}

/** The first id of the UTC day before that of a time. */
function firstIdBefore(time: number): string {
  const day = Math.floor(time / DAY_MS) - 1;
  return newId(new Date(Math.max(0, day * DAY_MS)), NOTHING_RANDOM);
}
