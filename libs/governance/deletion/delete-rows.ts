import { isErrorLike } from '#core';
import type { StatementClient } from '#database';
import type { OrganizationTable } from './organization-tables.js';

/** Maximum number of rows per transaction. Other transactions then wait only briefly, and a crash undoes little. */
const ROWS_AT_ONCE = 5_000;

const STILL_REFERENCED = '23503';

/** Called after each transaction that deleted rows. */
export type DeletionProgress = (table: string, rows: number) => void;

/**
 * Deletes all rows of an organization in transactions of at most 5,000 rows. The row of the organization itself is
 * deleted last. Rows that other transactions insert in the meantime are deleted too. Returns the number of rows by
 * table.
 */
export async function deleteRows(
  client: StatementClient,
  tables: readonly OrganizationTable[],
  orgId: string,
  progress: DeletionProgress,
): Promise<Map<string, number>> {
  const deleted = new Map<string, number>();
  const note = (table: string, rows: number): void => {
    deleted.set(table, (deleted.get(table) ?? 0) + rows);
    progress(table, rows);
  };
  // Repeats the rounds until a round finds no rows, because a transaction that had begun before may still have inserted
  // rows.
  while (await deleteOnce(client, tables, orgId, note));
  return deleted;
}

async function deleteOnce(
  client: StatementClient,
  tables: readonly OrganizationTable[],
  orgId: string,
  note: DeletionProgress,
): Promise<boolean> {
  let found = false;
  for (const { name, places, column } of tables) {
    for (const place of places) {
      for (;;) {
        const rows = await deleteSome(client, place, column, orgId);
        if (rows === 'referenced') return true;
        if (rows > 0) note(name, rows);
        found ||= rows > 0;
        if (rows < ROWS_AT_ONCE) break;
      }
    }
  }
  return found;
}

/**
 * Deletes some rows of a table. Returns their number. If other transactions have added rows that refer to them, returns
 * this fact instead.
 */
async function deleteSome(
  client: StatementClient,
  place: string,
  column: string,
  orgId: string,
): Promise<number | 'referenced'> {
  await client.query('begin');
  try {
    await client.query(`select set_config('governance.org_id', $1, true)`, [orgId]);
    const { rows } = await client.query<{ count: number }>(
      `with gone as (
         delete from ${place} where ctid = any (array(select ctid from ${place} where ${column} = $1 limit ${ROWS_AT_ONCE}))
         and ${column} = $1 returning 1)
       select count(*)::int as count from gone`,
      [orgId],
    );
    await client.query('commit');
    return rows[0]?.count ?? 0;
  } catch (error) {
    await client.query('rollback');
    if (isErrorLike(error) && error.code === STILL_REFERENCED) return 'referenced';
    throw error;
  }
}
