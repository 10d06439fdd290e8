import type { Attributes } from '@opentelemetry/api';
import { IsolationLevel, type MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { isUuid, type SqlTransaction } from '#core';
import { kyselyOver } from './host-transaction.js';
import { pendingMigrations, type NamedMigration } from './migrate.js';
import { statementTimeout, UPKEEP_MS } from './statement-timeout.js';
import { isLostStatement, prepared } from './prepared.js';
import { sqlOf } from './sql-transaction.js';
import { traced } from './traced.js';

const NAME_ORGANIZATION = prepared('name_organization', `select set_config('governance.org_id', $1, true)`);

const NAMED_ORGANIZATION = `select current_setting('governance.org_id', true) as org_id`;

/** Sets the organization of a running transaction, for row-level security. The setting ends with the transaction. */
export async function nameOrganization(tx: SqlTransaction, orgId: string): Promise<void> {
  if (!isUuid(orgId)) throw new TypeError('orgId must be a UUID');
  await tx.query(NAME_ORGANIZATION, [orgId]);
}

/** Statement timeout of a transaction. */
export interface StatementBound {
  /** Timeout of each statement in milliseconds. Default: the timeout of the connection, see `queryTimeoutMs`. */
  timeoutMs?: number;
}

/** Options of a transaction. */
export interface TransactionTerms extends StatementBound {
  /** Whether the organization may not exist yet, for example because the transaction creates it. Default: false. */
  isNew?: boolean;
}

/**
 * Checks in a transaction that the organization exists. Returns whether the result may be cached. It may not if the
 * organization can be deleted.
 * @throws if the organization does not exist
 */
export type OrganizationCheck = (tx: SqlTransaction, orgId: string) => Promise<boolean>;

/** Maximum number of cached organizations, about ten megabytes. */
const KNOWN_MAX = 100_000;

/** Runs transactions of one organization. All access to the tables goes through this class. */
export class OrgDatabase {
  private readonly lastWorks: (() => Promise<void>)[] = [];
  private readonly commits = new WeakMap<EntityManager, (() => void)[]>();
  private check: OrganizationCheck | undefined;
  /** Organizations that exist and cannot be deleted at the moment. */
  private readonly known = new Set<string>();

  /** @param migrations of the composed libraries */
  constructor(
    readonly orm: MikroORM,
    readonly migrations: readonly NamedMigration[] = [],
  ) {}

  /** Names of the migrations that the database lacks. */
  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(sql => this.global(sql), this.migrations);
  }

  /** Makes every transaction check that its organization exists. Once the check allows it, its result is cached. */
  requireOrganizations(check: OrganizationCheck): void {
    this.check = check;
  }

  /**
   * Resolves if the organization exists. The result may be cached.
   * @throws the error of the check
   */
  async assertOrganization(orgId: string): Promise<void> {
    if (this.check && !this.known.has(orgId)) await this.transaction(orgId, async () => undefined);
  }

  /** Removes the cached check of the organization. */
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
   * Runs work in a transaction of one organization. Rows of other organizations can be neither read nor written.
   * Commits if the work resolves, rolls back if it rejects. If a connection has lost its {@link prepared} statements,
   * the work is repeated once. If the work has already loaded or stored entities, it is not repeated, and the caller
   * gets the error.
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

  /** Runs reads of one organization in one snapshot. The reads do not see concurrent commits. */
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
   * An EntityManager of this package whose statements run in a transaction of the host. From now on, that transaction
   * is bound to the organization.
   * @throws Error if the connection has no running transaction, or the error of the check
   */
  async join(tx: SqlTransaction, orgId: string): Promise<EntityManager> {
    const em = this.orm.em.fork();
    em.setTransactionContext(await kyselyOver(tx));
    await nameOrganization(sqlOf(em), orgId);
    // Without a running transaction, the setting already ends with its statement. It is then missing here.
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
      if (timeoutMs !== undefined) await sqlOf(tx).query(statementTimeout(timeoutMs));
      await nameOrganization(sqlOf(tx), orgId);
      if (!isNew) await this.assertWithin(sqlOf(tx), orgId);
      return await work(tx);
    } catch (error) {
      // After a rollback, the unit of work still treats loaded and stored entities as being in the database. Only an
      // untouched one can be reused.
      const isUntouched = tx.getUnitOfWork().getIdentityMap().keys().length === 0;
      throw isLostStatement(error) && isUntouched ? new LostStatementError({ cause: error }) : error;
    }
  }

  /**
   * Calls `act` after the commit, and never if the transaction is rolled back. Returns false if this package did not
   * start the transaction, because its commit cannot be observed then.
   */
  afterCommit(em: EntityManager, act: () => void): boolean {
    const afterwards = this.commits.get(em);
    afterwards?.push(act);
    return afterwards !== undefined;
  }

  /**
   * Runs one statement without an organization. For functions that read across organizations, and for tables that
   * contain no data of organizations.
   */
  async global<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return sqlOf(this.orm.em.fork()).query<Row>(sql, parameters);
  }

  /** Runs a maintenance statement in its own transaction. It may take ten minutes. */
  async upkeep<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.orm.em.fork().transactional(async tx => {
      await sqlOf(tx).query(statementTimeout(UPKEEP_MS));
      return sqlOf(tx).query<Row>(sql, parameters);
    });
  }

  /**
   * Runs work while no other replica runs work with the same name. Other calls wait. The lock ends with the process at
   * the latest.
   */
  async exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.orm.em.fork().transactional(async holder => {
      await sqlOf(holder).query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`governance ${name}`]);
      return work();
    });
  }

  /** Registers work that must finish before the connections close, such as flushing write-behind buffers. */
  beforeClose(work: () => Promise<void>): void {
    this.lastWorks.push(work);
  }

  /** Runs the registered work and closes the connections. */
  async close(): Promise<void> {
    await Promise.allSettled(this.lastWorks.map(work => work()));
    await this.orm.close(true);
  }
}

/** A prepared statement was missing. It was not executed, so it can be repeated. */
class LostStatementError extends Error {
  constructor(options: ErrorOptions) {
    super('a prepared statement was lost', options);
  }
}

/** When this happens for the first time, the pool stops preparing statements. One repetition is therefore enough. */
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
