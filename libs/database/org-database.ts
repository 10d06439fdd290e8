import type { Attributes } from '@opentelemetry/api';
import { IsolationLevel, type MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { isUuid, type SqlTransaction } from '#core';
import { kyselyOver } from './host-transaction.js';
import { pendingMigrations, type NamedMigration } from './migrate.js';
import { patience, UPKEEP_MS } from './patience.js';
import { isLostStatement, prepared } from './prepared.js';
import { sqlOf } from './sql-transaction.js';
import { traced } from './traced.js';

const NAME_ORGANIZATION = prepared('name_organization', `select set_config('governance.org_id', $1, true)`);

const NAMED_ORGANIZATION = `select current_setting('governance.org_id', true) as org_id`;

/** Names the organization of a running transaction, for row-level security. It ends with the transaction. */
export async function nameOrganization(tx: SqlTransaction, orgId: string): Promise<void> {
  if (!isUuid(orgId)) throw new TypeError('orgId must be a UUID');
  await tx.query(NAME_ORGANIZATION, [orgId]);
}

/** Time limit for the statements of a transaction. */
export interface StatementBound {
  /** Milliseconds for each statement. Default: the connection's, see `queryTimeoutMs`. */
  timeoutMs?: number;
}

/** Options of a transaction. */
export interface TransactionTerms extends StatementBound {
  /** The organization may not exist yet, for example because the transaction creates it. Default: false. */
  isNew?: boolean;
}

/**
 * Checks in a transaction of an organization that the organization exists. Returns whether the answer may be kept, which
 * it may not where the organization can be deleted. @throws if it does not exist
 */
export type OrganizationCheck = (tx: SqlTransaction, orgId: string) => Promise<boolean>;

/** Organizations that are known to exist, at most: some ten megabytes. */
const KNOWN_MAX = 100_000;

/** The only way to the tables: a transaction that belongs to one organization. */
export class OrgDatabase {
  private readonly lastWorks: (() => Promise<void>)[] = [];
  private readonly commits = new WeakMap<EntityManager, (() => void)[]>();
  private check: OrganizationCheck | undefined;
  /** Organizations that exist and cannot be deleted now. */
  private readonly known = new Set<string>();

  /** @param migrations those whose tables the libraries on top work with */
  constructor(
    readonly orm: MikroORM,
    readonly migrations: readonly NamedMigration[] = [],
  ) {}

  /** Names of the migrations which the database lacks. */
  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(sql => this.global(sql), this.migrations);
  }

  /** Makes the transactions of an organization check that it exists, until the check says that it will go on to. */
  requireOrganizations(check: OrganizationCheck): void {
    this.check = check;
  }

  /** Resolves if the organization exists; from memory after the first check. @throws the error of the check */
  async assertOrganization(orgId: string): Promise<void> {
    if (this.check && !this.known.has(orgId)) await this.transaction(orgId, async () => undefined);
  }

  /** Makes the next transactions of the organization check again that it exists. */
  forget(orgId: string): void {
    this.known.delete(orgId);
  }

  private async assertWithin(tx: SqlTransaction, orgId: string): Promise<void> {
    if (!this.check || this.known.has(orgId)) return;
    if (!(await this.check(tx, orgId))) return;
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    this.known.add(orgId);
  }

  /**
   * Runs work in a transaction of one organization; rows of any other can be neither seen nor written. Commits when
   * the work resolves, rolls back when it rejects. If a connection has lost its {@link prepared} statements, the work
   * is repeated once; if the work has read or stored entities by then, its caller gets the error.
   */
  async transaction<T>(
    orgId: string,
    work: (em: EntityManager) => Promise<T>,
    terms: TransactionTerms = {},
  ): Promise<T> {
    const { result, afterwards } = await traced('governance.transaction', spanOf(orgId), () =>
      againIfLost(() => {
        const afterwards: (() => void)[] = [];
        return this.orm.em.fork().transactional(async tx => {
          this.commits.set(tx, afterwards);
          const result = await this.named(tx, orgId, work, terms);
          return { result, afterwards };
        });
      }),
    );
    for (const act of afterwards) act();
    return result;
  }

  /** Runs reads of one organization on one snapshot. Commits of others in between stay unseen. */
  async snapshot<T>(orgId: string, read: (em: EntityManager) => Promise<T>, bound: StatementBound = {}): Promise<T> {
    return traced('governance.snapshot', spanOf(orgId), () =>
      againIfLost(() =>
        this.orm.em.fork().transactional(tx => this.named(tx, orgId, read, bound), {
          isolationLevel: IsolationLevel.REPEATABLE_READ,
          readOnly: true,
        }),
      ),
    );
  }

  /**
   * An EntityManager of ours whose statements run in a transaction of the host's. That transaction works for the
   * organization from here on.
   * @throws Error if no transaction is running on the connection, or the error of the check
   */
  async join(tx: SqlTransaction, orgId: string): Promise<EntityManager> {
    const em = this.orm.em.fork();
    em.setTransactionContext(await kyselyOver(tx));
    await nameOrganization(sqlOf(em), orgId);
    // Outside a transaction the name ends with its statement.
    const [named] = await sqlOf(em).query<{ org_id: string | null }>(NAMED_ORGANIZATION);
    if (named?.org_id !== orgId) {
      throw new Error('tx: no transaction is running; begin one, and run all statements on its connection.');
    }
    await this.assertWithin(sqlOf(em), orgId);
    return em;
  }

  private async named<T>(
    tx: EntityManager,
    orgId: string,
    work: (em: EntityManager) => Promise<T>,
    { timeoutMs, isNew = false }: TransactionTerms,
  ): Promise<T> {
    try {
      if (timeoutMs !== undefined) await sqlOf(tx).query(patience(timeoutMs));
      await nameOrganization(sqlOf(tx), orgId);
      if (!isNew) await this.assertWithin(sqlOf(tx), orgId);
      return await work(tx);
    } catch (error) {
      // Entities that were read or stored count as being in the database, whatever was rolled back.
      const isUntouched = tx.getUnitOfWork().getIdentityMap().keys().length === 0;
      throw isLostStatement(error) && isUntouched ? new LostStatementError({ cause: error }) : error;
    }
  }

  /**
   * Calls `act` once the transaction has committed, and never if it does not. Returns false if this class did not start
   * the transaction and so cannot notice its commit.
   */
  afterCommit(em: EntityManager, act: () => void): boolean {
    const afterwards = this.commits.get(em);
    afterwards?.push(act);
    return afterwards !== undefined;
  }

  /**
   * Runs one statement without an organization: for functions that look across organizations, and for tables that
   * hold nobody's data.
   */
  async global<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return sqlOf(this.orm.em.fork()).query<Row>(sql, parameters);
  }

  /** The same for a statement that tidies tables up, in a transaction of its own: it may take ten minutes. */
  async upkeep<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.orm.em.fork().transactional(async tx => {
      await sqlOf(tx).query(patience(UPKEEP_MS));
      return sqlOf(tx).query<Row>(sql, parameters);
    });
  }

  /** Runs work while no other replica runs work of the same name; the others wait. Ends with the process at the latest. */
  async exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.orm.em.fork().transactional(async holder => {
      await sqlOf(holder).query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`governance ${name}`]);
      return work();
    });
  }

  /** Registers work that must still reach the database when the app stops, such as flushing write-behind buffers. */
  beforeClose(work: () => Promise<void>): void {
    this.lastWorks.push(work);
  }

  /** Runs the registered work and closes the connections. */
  async close(): Promise<void> {
    await Promise.allSettled(this.lastWorks.map(work => work()));
    await this.orm.close(true);
  }
}

/** Nothing was done, and can be done anew. */
class LostStatementError extends Error {
  constructor(options: ErrorOptions) {
    super('a prepared statement was lost', options);
  }
}

/** After the first failure nothing is prepared any more. */
async function againIfLost<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof LostStatementError)) throw error;
    return run();
  }
}

/** Attributes of the span of a transaction. */
function spanOf(orgId: string): Attributes {
  return { 'db.system.name': 'postgresql', 'governance.org_id': orgId };
}
