import { Logger } from '@nestjs/common';
import { BadRequestError, type Clock, type CursorSealer, isErrorLike, messageOf, within } from '#core';
import { APP_ROLE, type DatabaseOptions } from './database.options.js';
import { KeysetLists } from './keyset/keyset-lists.js';
import { OrgDatabase } from './org-database.js';
import { openOrm } from './orm.js';

/** The database that a report reads from. */
export interface ReportSource {
  readonly database: OrgDatabase;
  readonly lists: KeysetLists;
}

/** A report, and the age of its data. */
export interface ReadReport<T> {
  readonly report: T;
  /** All data that was committed by this time is in the report. Undefined if there is no replica. */
  readonly asOf: Date | undefined;
}

const DEFAULT_MAX_AGE_SECONDS = 60;
/** Cache time of a freshness check, in milliseconds. */
const LOOK_MS = 1_000;
/** Timeout in milliseconds. A replica that responds later counts as unavailable. */
const ANSWER_MS = 1_000;
/** Number of checks if a replica lags slightly, and the pause between two checks. */
const TRIES = 5;
const PAUSE_MS = 20;
/**
 * PostgreSQL error code of a statement timeout. The statement is not retried on the primary, because it would take as
 * long there.
 */
const CANCELED = '57014';

const FLUSHED = 'select pg_current_wal_flush_lsn()::text as lsn';
const REPLAYED = `
select current_user as role, pg_is_in_recovery() as standby, (
  select count(*)::int from unnest($1::text[]) as mark (lsn) where mark.lsn::pg_lsn <= pg_last_wal_replay_lsn()) as passed`;

/** A WAL position of the primary. All data that was committed by the time `at` is before this position. */
interface Mark {
  readonly lsn: string;
  readonly at: Date;
}

/**
 * Reads reports from a streaming replica if its data is recent enough, otherwise from the primary. To determine this,
 * compares WAL positions of the primary with the position up to which the replica has replayed. The result is also
 * correct if nothing is written, while replay is paused, and if clocks are wrong.
 */
export class ReportSources {
  private readonly logger = new Logger('Governance');
  /** Positions of the primary, the oldest first. */
  private marks: Mark[] = [];
  private last: { at: number; look: Promise<Date | undefined> } | undefined;
  private isUsed = true;

  constructor(
    private readonly primary: ReportSource,
    private readonly clock: Clock,
    private readonly replica?: ReportSource,
    private readonly maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS,
  ) {}

  /**
   * Opens the pool of `reportsUrl`, if the option is set. Does not connect yet. This pool closes before the pool of the
   * primary.
   */
  static async open(
    primary: ReportSource,
    options: DatabaseOptions,
    cursors: CursorSealer,
    clock: Clock,
  ): Promise<ReportSources> {
    const { reportsUrl, reportsMaxAgeSeconds } = options;
    if (reportsUrl === undefined) return new ReportSources(primary, clock);
    const database = new OrgDatabase(await openOrm({ ...options, url: reportsUrl }, []));
    primary.database.beforeClose(() => database.close());
    const replica = { database, lists: new KeysetLists(database, cursors, clock) };
    return new ReportSources(primary, clock, replica, reportsMaxAgeSeconds);
  }

  /** Reads a report. If the replica fails, `read` is called again for the primary. */
  async read<T>(read: (source: ReportSource) => Promise<T>): Promise<ReadReport<T>> {
    if (!this.replica) return { report: await read(this.primary), asOf: undefined };
    const asOf = await this.freshness();
    if (asOf) {
      try {
        return { report: await read(this.replica), asOf };
      } catch (error) {
        if (error instanceof BadRequestError || (isErrorLike(error) && error.code === CANCELED)) throw error;
        this.use(false, messageOf(error));
      }
    }
    const now = this.clock.now();
    return { report: await read(this.primary), asOf: now };
  }

  /** Time up to which the replica has all data; undefined if the replica is unavailable or its data too old. */
  private async freshness(): Promise<Date | undefined> {
    const now = this.clock.now().getTime();
    if (!this.last || Math.abs(now - this.last.at) >= LOOK_MS) this.last = { at: now, look: this.look() };
    const asOf = await this.last.look;
    return asOf && this.isFresh(asOf) ? asOf : undefined;
  }

  private isFresh(at: Date): boolean {
    return this.clock.now().getTime() - at.getTime() <= this.maxAgeSeconds * 1_000;
  }

  private async look(): Promise<Date | undefined> {
    try {
      const at = this.clock.now();
      const [flushed] = await this.primary.database.global<{ lsn: string }>(FLUSHED);
      if (flushed) this.marks.push({ lsn: flushed.lsn, at });
      const asOf = await within(ANSWER_MS, this.replayed());
      this.use(asOf !== undefined, `its data is older than ${this.maxAgeSeconds} seconds`);
      return asOf;
    } catch (error) {
      this.use(false, messageOf(error));
      return undefined;
    }
  }

  private async replayed(): Promise<Date | undefined> {
    for (let attempt = 1; ; attempt++) {
      this.marks = this.marks.filter(({ at }) => this.isFresh(at));
      const passed = await this.passed();
      if (passed === this.marks.length || attempt === TRIES) {
        const mark = this.marks[passed - 1];
        this.marks.splice(0, passed - 1);
        return mark?.at;
      }
      await new Promise(done => setTimeout(done, PAUSE_MS));
    }
  }

  /**
   * Number of positions that the replica has already replayed.
   * @throws Error if reports must not be read from the replica
   */
  private async passed(): Promise<number> {
    const lsns = this.marks.map(({ lsn }) => lsn);
    const [row] = (await this.replica?.database.global<Replayed>(REPLAYED, [lsns])) ?? [];
    if (row?.role !== APP_ROLE) throw new Error(`its connections arrive as ${row?.role}, not as ${APP_ROLE}`);
    if (!row.standby) throw new Error('it is not a standby');
    return row.passed;
  }

  /** Logs once when the replica is no longer used, and once when it is used again. */
  private use(isUsed: boolean, reason: string): void {
    if (isUsed === this.isUsed) return;
    this.isUsed = isUsed;
    if (isUsed) this.logger.warn('Reports are read from the replica again.');
    else this.logger.warn(`Reports are read from the primary, not from the replica: ${reason}`);
  }
}

interface Replayed {
  role: string;
  standby: boolean;
  passed: number;
}
