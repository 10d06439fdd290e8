import type { SqlTransaction } from '#core';
import type { ChangeFeed } from './change-feed.js';
import { SCHEMA } from './database.options.js';
import type { OrgDatabase } from './org-database.js';
import { OrgMemory } from './org-memory.js';
import { sqlOf } from './sql-transaction.js';

/** Rows per statement. The limit prevents a large organization from blocking the event loop for long. */
const ROWS_PER_READ = 5_000;

/** Columns of every row that is cached in memory and tracked by the change feed. */
export interface VersionedRow {
  id: string;
  /** Version of the topic at the last change of the row, as text. */
  change_version: string;
}

/** The rows of one organization, indexed for look-ups. */
export interface RowsInMemory<Row extends VersionedRow> {
  /** Adds a new or changed row. The same row may be passed twice. */
  put(row: Row): void;
}

/** A table that is cached in memory: rows are never deleted, and each has the version of its last change. */
export interface FollowedTable<Rows> {
  /** Topic of the change feed that versions the rows. */
  readonly topic: string;
  /** Name of the table. It must have the columns `org_id`, `id` and `change_version`. */
  readonly table: string;
  /** Columns of a row, besides id and version. */
  readonly columns: string;
  /** Creates the container for the rows of an organization. */
  empty(): Rows;
}

interface Held<Rows> {
  readonly rows: Rows;
  /** All changes up to this version are loaded. */
  version: number;
}

/**
 * Caches a table in memory, by organization. An organization's rows are loaded on first use; later changes are loaded
 * when the topic changes. If the table cannot be read and the organization is not in memory, access fails. A row is
 * never assumed to be missing.
 */
export class OrgTable<Row extends VersionedRow, Rows extends RowsInMemory<Row>> {
  private readonly memory: OrgMemory<Held<Rows>>;
  private readonly statements: ReturnType<typeof statementsFor>;

  constructor(
    database: OrgDatabase,
    changes: ChangeFeed,
    private readonly followed: FollowedTable<Rows>,
  ) {
    this.statements = statementsFor(followed);
    this.memory = new OrgMemory(changes, [followed.topic], (orgId, held) =>
      database.transaction(orgId, async em => {
        const tx = sqlOf(em);
        const current = held ?? (await this.readAll(tx, orgId));
        await this.readChanges(tx, orgId, current);
        return current;
      }),
    );
  }

  /** The cached rows, synchronously; undefined if the organization was never loaded. */
  peek(orgId: string): Rows | undefined {
    return this.memory.peek(orgId)?.rows;
  }

  /** The cached rows, loaded if necessary. Concurrent callers share one load. */
  async of(orgId: string): Promise<Rows> {
    return (await this.memory.of(orgId)).rows;
  }

  /**
   * Loads all rows in several statements. A row that changes in between gets a higher version than the version that was
   * read first. It is therefore loaded again with the next change.
   */
  private async readAll(tx: SqlTransaction, orgId: string): Promise<Held<Rows>> {
    const [newest] = await tx.query<{ version: string }>(this.statements.newestVersion, [orgId]);
    const made = this.followed.empty();
    let lastId: string | null = null;
    for (;;) {
      const rows: Row[] = await tx.query<Row>(this.statements.nextById, [orgId, lastId]);
      for (const row of rows) made.put(row);
      lastId = rows.at(-1)?.id ?? null;
      if (rows.length < ROWS_PER_READ) return { rows: made, version: Number(newest?.version ?? 0) };
    }
  }

  private async readChanges(tx: SqlTransaction, orgId: string, held: Held<Rows>): Promise<void> {
    for (;;) {
      const rows = await tx.query<Row>(this.statements.changedSince, [orgId, held.version]);
      for (const row of rows) held.rows.put(row);
      held.version = Number(rows.at(-1)?.change_version ?? held.version);
      if (rows.length < ROWS_PER_READ) return;
    }
  }
}

function statementsFor({ table, columns }: FollowedTable<unknown>) {
  const read = `select id, ${columns}, change_version::text as change_version from ${SCHEMA}.${table}`;
  return {
    /** `$1` is the organization. */
    newestVersion: `select coalesce(max(change_version), 0)::text as version from ${SCHEMA}.${table} where org_id = $1`,
    /** `$1` is the organization, `$2` the last id or null. */
    nextById: `${read} where org_id = $1 and ($2::uuid is null or id > $2::uuid) order by id limit ${ROWS_PER_READ}`,
    /** `$1` is the organization, `$2` a version. Returns all rows of a version together. */
    changedSince: `${read} where org_id = $1 and change_version > $2
      order by change_version fetch first ${ROWS_PER_READ} rows with ties`,
  };
}
