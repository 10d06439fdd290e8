import { Logger } from '@nestjs/common';
import { BadRequestError, type Clock, type CursorSealer, isErrorLike, messageOf, within } from '#core';
import { APP_ROLE, type DatabaseOptions } from './database.options.js';
import { KeysetLists } from './keyset/keyset-lists.js';
import { OrgDatabase } from './org-database.js';
import { openOrm } from './orm.js';

/** Where a report is read. */
export interface ReportSource {
  readonly database: OrgDatabase;
  readonly lists: KeysetLists;
}

/** A report, and the age of its data. */
export interface ReadReport<T> {
  readonly report: T;
  /** The report has all that was committed until then. Undefined if there is no replica. */
  readonly asOf: Date | undefined;
}

const DEFAULT_MAX_AGE_SECONDS = 60;
/** A look at both servers counts for so long. */
const LOOK_MS = 1_000;
/** A replica that answers later counts as away. */
const ANSWER_MS = 1_000;
/** How often a replica that is a moment behind is asked again, and the pause in between. */
const TRIES = 5;
const PAUSE_MS = 20;
/** PostgreSQL error code of a statement that exceeded its time limit; the primary would take as long. */
const CANCELED = '57014';

const FLUSHED = 'select pg_current_wal_flush_lsn()::text as lsn';
const REPLAYED = `
select current_user as role, pg_is_in_recovery() as standby, (
  select count(*)::int from unnest($1::text[]) as mark (lsn) where mark.lsn::pg_lsn <= pg_last_wal_replay_lsn()) as passed`;

/** A position in the log of the primary, and a time at which everything that was committed lay before it. */
interface Mark {
  readonly lsn: string;
  readonly at: Date;
}

/**
 * Reads reports from a streaming replica while its data is fresh enough, and from the primary otherwise. How fresh is
 * known from positions in the log of the primary, which the replica has replayed or not: that is also right while
 * nothing is written, while replay is paused, and whatever the clocks of the servers say.
 */
export class ReportSources {
  private readonly logger = new Logger('Governance');
  /** Oldest first. */
  private marks: Mark[] = [];
  private last: { at: number; look: Promise<Date | undefined> } | undefined;
  private isUsed = true;

  constructor(
    private readonly primary: ReportSource,
    private readonly clock: Clock,
    private readonly replica?: ReportSource,
    private readonly maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS,
  ) {}

  /** Opens the pool of `reportsUrl`, if there is one; it closes before that of the primary. Connects to nothing yet. */
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

  /** Reads a report. `read` is called again, for the primary, if the replica fails. */
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

  /** Until when the replica has everything; undefined if it is away or too old. */
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

  /** How many marks the replica has replayed. @throws Error if no report may be read from it */
  private async passed(): Promise<number> {
    const lsns = this.marks.map(({ lsn }) => lsn);
    const [row] = (await this.replica?.database.global<Replayed>(REPLAYED, [lsns])) ?? [];
    if (row?.role !== APP_ROLE) throw new Error(`its connections arrive as ${row?.role}, not as ${APP_ROLE}`);
    if (!row.standby) throw new Error('it is no standby');
    return row.passed;
  }

  /** Logs one line when the replica is given up, and one when it is back. */
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
