import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, TimeSlice, type FieldError } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf, textArray } from '#database';
import { auditedUser } from '../audited-user.js';
import { User } from '../user.entity.js';
import { LOCKED_USERS_BY_EMAIL, USERS_BY_EMAIL } from '../users-by-email.sql.js';
import { USERS_TOPIC } from '../users.topic.js';
import { csvRecords, type CsvSource } from './csv-records.js';
import { auditOf } from './import-audit.js';
import { columnsOf } from './import-columns.js';
import {
  applyLine,
  readLine,
  type ImportMode,
  type ImportOutcome,
  type LineResult,
  type PersonLine,
} from './import-line.js';

/** Input and options of an import. */
export interface UserImportRequest {
  /** CSV with a header line. */
  source: CsvSource;
  /** Dry run: the import reports the outcome of each line and changes nothing. Default: false. */
  dryRun?: boolean;
  /** How to handle existing users. Default: `upsert`. */
  mode?: ImportMode;
  /** Called for every line, in the order of the file. */
  onLine?: (line: ImportedLine) => void;
  /**
   * Called once before the first transaction, and after each transaction, with the number of lines processed so far.
   */
  onProgress?: ((lines: number) => void) | undefined;
  /** Stops the import before its next transaction. Users that are already imported stay. */
  signal?: AbortSignal | undefined;
}

/** Outcome of one line. */
export interface ImportedLine {
  /** Number of the line in the file, counted from 1. */
  line: number;
  /** As written in the line; null if missing. */
  email: string | null;
  outcome: ImportOutcome;
  /** Faults of the line, if it is refused. */
  errors: FieldError[];
}

/** Number of lines per outcome; their sum is `lines`. */
export type ImportCounts = { lines: number } & Record<ImportOutcome, number>;

const BATCH = 1_000;
/**
 * Maximum number of characters in a batch, including the stored attributes of its users. Writing a batch blocks the
 * event loop once, so a batch must not be larger.
 */
const BATCH_WEIGHT = 512 * 1024;

/** Selects the size of the stored attributes of users. */
const WEIGHTS = `
select u.email_key, octet_length(u.attributes::text) as weight ${USERS_BY_EMAIL}`;

/**
 * Imports users from CSV. Refuses invalid lines and applies all other lines. A batch of up to 1,000 lines, or 512 KiB
 * including the stored users, is one transaction with one version and one audit entry. A batch without changes writes
 * nothing. An interrupted import can be repeated: lines that were already imported change nothing.
 */
@Injectable()
export class UserImporter {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws BadRequestError if the header line has no known columns, or the file is not UTF-8
   * @throws the reason of the signal if it is aborted
   */
  async import(actor: Actor, request: UserImportRequest): Promise<ImportCounts> {
    const counts: ImportCounts = { lines: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };
    const slice = new TimeSlice();
    const finish = async (batch: readonly PersonLine[]): Promise<void> => {
      if (counts.lines === 0) request.onProgress?.(0);
      for (const part of await this.partsOf(actor.orgId, batch)) {
        request.signal?.throwIfAborted();
        for (const [{ line, email }, result] of await this.importBatch(actor, part, request)) {
          counts.lines++;
          counts[result.outcome]++;
          const errors = result.outcome === 'refused' ? [...result.errors] : [];
          request.onLine?.({ line, email, outcome: result.outcome, errors });
          await slice.next();
        }
        request.onProgress?.(counts.lines);
      }
    };
    let batch: PersonLine[] = [];
    let length = 0;
    for await (const line of linesOf(request.source)) {
      batch.push(line);
      length += line.length;
      if (batch.length < BATCH && length < BATCH_WEIGHT) continue;
      await finish(batch);
      [batch, length] = [[], 0];
    }
    if (batch.length > 0) await finish(batch);
    if (!request.dryRun) await this.changes.refresh(actor.orgId);
    return counts;
  }

  /** Splits a batch into parts of limited size. A short line may refer to a large user record. */
  private async partsOf(orgId: string, batch: readonly PersonLine[]): Promise<PersonLine[][]> {
    const keys = keysOf(batch);
    if (keys.length === 0) return [[...batch]];
    const rows = await this.database.transaction(orgId, em =>
      sqlOf(em).query<{ email_key: string; weight: number }>(WEIGHTS, [orgId, textArray(keys, key => key)]),
    );
    const found = new Map(rows.map(row => [row.email_key, row.weight]));
    const parts: PersonLine[][] = [];
    let weight = Infinity;
    for (const line of batch) {
      const added = line.length + (found.get(line.key) ?? 0);
      if (weight + added > BATCH_WEIGHT) {
        parts.push([]);
        weight = 0;
      }
      parts.at(-1)?.push(line);
      weight += added;
    }
    return parts;
  }

  private async importBatch(
    actor: Actor,
    batch: readonly PersonLine[],
    { dryRun = false, mode = 'upsert' }: UserImportRequest,
  ): Promise<Map<PersonLine, LineResult>> {
    const { orgId } = actor;
    const now = this.clock.now();
    if (batch.every(({ errors }) => errors.length > 0)) {
      return new Map(batch.map(line => [line, { outcome: 'refused', errors: line.errors }]));
    }
    return this.database.transaction(orgId, async em => {
      const apply = (lines: readonly PersonLine[], users: ReadonlyMap<string, User>): Map<PersonLine, LineResult> =>
        new Map(lines.map(line => [line, applyLine(line, users.get(line.key), { mode, orgId, now })]));
      const results = apply(batch, await usersOf(em, orgId, batch));
      const changing = batch.filter(line => isChange(results.get(line)));
      if (dryRun || changing.length === 0) return results;
      // The increment of the version waits until other changes of users have committed. It comes first, so that the
      // rows that this transaction reads afterwards stay current.
      const changeVersion = await this.changes.mark(em, orgId, USERS_TOPIC);
      const locked = await usersOf(em, orgId, changing, true);
      const before = new Map([...locked.values()].map(user => [user.id, auditedUser(user)]));
      const written = apply(changing, locked);
      const changed = [...written.values()].filter(isChange).map(({ user }) => user);
      for (const user of changed) user.changeVersion = changeVersion;
      em.persist(changed);
      await em.flush();
      if (changed.length > 0) await this.audit.append(em, actor, auditOf(orgId, changed, before));
      for (const [line, result] of written) results.set(line, result);
      return results;
    });
  }
}

async function* linesOf(source: CsvSource): AsyncGenerator<PersonLine> {
  let columns: ReturnType<typeof columnsOf> | undefined;
  const firstLines = new Map<string, number>();
  for await (const record of csvRecords(source)) {
    if (!columns) {
      if (record.fault !== undefined) throw BadRequestError.field('header', `the header line ${record.fault}`);
      columns = columnsOf(record.cells);
      continue;
    }
    const line = readLine(columns, record);
    const first = line.email === null ? undefined : firstLines.get(line.key);
    if (first !== undefined) yield { ...line, errors: [{ field: 'email', message: `is already on line ${first}` }] };
    else {
      if (line.email !== null) firstLines.set(line.key, line.line);
      yield line;
    }
  }
  if (!columns)
    throw BadRequestError.field('header', 'the file is empty; its first line names the columns, such as email,name');
}

/** The addresses of all valid lines. */
function keysOf(lines: readonly PersonLine[]): string[] {
  return lines.filter(({ errors }) => errors.length === 0).map(({ key }) => key);
}

/** The users with the addresses of the lines. Either only read, or locked for a change. */
async function usersOf(
  em: EntityManager,
  orgId: string,
  lines: readonly PersonLine[],
  locked = false,
): Promise<Map<string, User>> {
  const keys = keysOf(lines);
  const sql = `select u.* ${locked ? LOCKED_USERS_BY_EMAIL : USERS_BY_EMAIL}`;
  const rows = await sqlOf(em).query<Record<string, unknown>>(sql, [orgId, textArray(keys, key => key)]);
  // A dry run changes the entities in memory. They must not be managed, because MikroORM would write their changes.
  const owner = locked ? em : em.fork();
  return new Map(rows.map(row => owner.map(User, row)).map(user => [user.emailKey, user]));
}

function isChange(result: LineResult | undefined): result is Extract<LineResult, { user: User }> {
  return result !== undefined && (result.outcome === 'created' || result.outcome === 'updated');
}
