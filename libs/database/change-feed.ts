import { Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf, within } from '#core';
import { SCHEMA, type DatabaseOptions } from './database.options.js';
import type { Notifications } from './notifications.js';
import type { OrgDatabase } from './org-database.js';
import { sqlOf } from './sql-transaction.js';

/**
 * Called when a topic of an organization has changed, on this replica or another. Called again where it fails, and
 * never while an earlier call for the same organization and topic is still at work.
 */
export type ChangeHandler = (orgId: string, version: number) => Promise<void> | void;

const CHANNEL = 'governance_changes';
const DEFAULT_POLL_MS = 250;
/** A look that takes longer is given up: its connection may hang, and the next one takes another. */
const LOOK_MS = 500;
/** Time limit of the first poll for an organization. */
const WATCH_MS = 10_000;
/** How long a writer waits for its own change to arrive in memory. */
const SETTLE_MS = 2_000;

const MARK = markSql('$1', '$2', '$3::bigint');

const READ_MARK = `select version::text from ${SCHEMA}.change_marks where org_id = $1 and topic = $2`;

const READ_MARKS = `select org_id, topic, version::text from ${SCHEMA}.change_marks_of($1)`;

/**
 * Tells every replica what has changed. A change raises its mark in the business transaction, so marks and changes
 * commit together and in one order per organization and topic. A notification brings the news in milliseconds; a poll
 * of the marks brings what a lost notification did not, and is what the promise of one second rests on.
 */
export class ChangeFeed {
  private readonly logger = new Logger('Governance');
  private readonly handlers = new Map<string, ChangeHandler[]>();
  private readonly deletionHandlers: ((orgId: string) => void)[] = [];
  /** Last version handled, per organization and topic. Organizations enter when something of theirs is in memory. */
  private readonly seen = new Map<string, Map<string, number>>();
  private timer: NodeJS.Timeout | undefined;
  /** The current or the last poll of the marks. */
  private running: Promise<void> | undefined;
  /** The next poll, which has not begun yet. */
  private next: Promise<void> | undefined;
  /** Versions to be taken in, and the work that does so, per organization and topic. */
  private readonly wanted = new Map<string, number>();
  private readonly working = new Map<string, { orgId: string; work: Promise<void> }>();
  private lastLook = performance.now();
  private isReachable = true;
  private stopped = true;

  constructor(
    private readonly database: OrgDatabase,
    private readonly options: DatabaseOptions,
    notifications: Notifications,
  ) {
    notifications.on(CHANNEL, () => void this.refresh());
  }

  /** Calls the handler on every later change of the topic in any organization that is watched. */
  subscribe(topic: string, handler: ChangeHandler): void {
    this.handlers.set(topic, [...(this.handlers.get(topic) ?? []), handler]);
  }

  /**
   * Calls the handler when all marks of an organization that is watched are gone, as they are while it is deleted. It
   * stays watched: where it is made again, its marks begin anew.
   */
  onDeletion(handler: (orgId: string) => void): void {
    this.deletionHandlers.push(handler);
  }

  /**
   * Raises the mark of a topic inside the transaction that makes the change; returns the new version. Nobody else raises
   * it until that transaction ends. With `versions`, so many at once, for changes that want one each.
   */
  async mark(em: EntityManager, orgId: string, topic: string, versions = 1): Promise<number> {
    const [row] = await sqlOf(em).query<{ version: string }>(MARK, [orgId, topic, versions]);
    return Number(row?.version);
  }

  /**
   * The version of a topic in the state of the database that a transaction reads; 0 where it has never been raised.
   * What the same statement, or a transaction on one state of the database, reads beside it is exactly of that version.
   */
  async versionWithin(em: EntityManager, orgId: string, topic: string): Promise<number> {
    const [row] = await sqlOf(em).query<{ version: string }>(READ_MARK, [orgId, topic]);
    return Number(row?.version ?? 0);
  }

  /**
   * Begins to watch an organization. Call it before loading what is then kept in memory: the versions noted here are
   * those that the loaded state has at least.
   */
  async watch(orgId: string): Promise<void> {
    if (this.seen.has(orgId)) return;
    // Checked first, so that requests for organizations that do not exist cannot make the map grow.
    await this.database.assertOrganization(orgId);
    const marks = await within(WATCH_MS, this.readMarks([orgId]));
    if (this.seen.has(orgId)) return;
    this.seen.set(orgId, new Map(marks.map(mark => [mark.topic, mark.version])));
  }

  /**
   * Looks for changes and waits until they are handled: after a commit, so that the caller reads its own write. Waits
   * for one organization's changes only, where it is named, and two seconds at most. Never rejects: what fails is
   * logged and tried again by the poll.
   */
  async refresh(orgId?: string): Promise<void> {
    // A look that has begun may have missed the caller's commit; only one that begins from now on will do.
    this.next ??= (this.running ?? Promise.resolve()).then(() => {
      this.next = undefined;
      this.running = this.look();
      return this.running;
    });
    await this.next;
    const mine = [...this.working.values()].filter(entry => orgId === undefined || entry.orgId === orgId);
    if (mine.length > 0) await within(SETTLE_MS, Promise.all(mine.map(entry => entry.work))).catch(() => undefined);
  }

  /** Milliseconds since the marks were last read; what is kept in memory may be that old. */
  get age(): number {
    return this.seen.size === 0 ? 0 : performance.now() - this.lastLook;
  }

  /** Starts polling. */
  start(): void {
    this.stopped = false;
    this.schedule();
  }

  /** Stops polling; waits for a running poll. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      void this.refresh();
      this.schedule();
    }, this.options.changes?.pollIntervalMs ?? DEFAULT_POLL_MS);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    if (this.seen.size === 0) return;
    try {
      const watched = new Map(this.seen);
      const marks = await within(LOOK_MS, this.readMarks([...watched.keys()]));
      this.lastLook = performance.now();
      this.reachable(true);
      for (const mark of marks) this.take(mark);
      this.noticeDeletions(watched, marks);
    } catch (error) {
      this.reachable(false, error);
    }
  }

  /** A failed or slow reload of one organization does not delay the others. */
  private take({ orgId, topic, version }: Mark): void {
    if ((this.seen.get(orgId)?.get(topic) ?? 0) >= version) return;
    const key = `${orgId} ${topic}`;
    this.wanted.set(key, version);
    if (this.working.has(key)) return;
    const work = this.handle(orgId, topic, key).finally(() => this.working.delete(key));
    this.working.set(key, { orgId, work });
  }

  /** Marks only grow while an organization exists, and one that is deleted has one at least: it was suspended. */
  private noticeDeletions(watched: ReadonlyMap<string, ReadonlyMap<string, number>>, marks: readonly Mark[]): void {
    const marked = new Set(marks.map(({ orgId }) => orgId));
    for (const [orgId, versions] of watched) {
      if (versions.size === 0 || marked.has(orgId)) continue;
      this.seen.set(orgId, new Map());
      for (const handler of this.deletionHandlers) handler(orgId);
    }
  }

  private async handle(orgId: string, topic: string, key: string): Promise<void> {
    const versions = this.seen.get(orgId);
    for (;;) {
      const version = this.wanted.get(key) ?? 0;
      if (!versions || (versions.get(topic) ?? 0) >= version) return;
      try {
        for (const handler of this.handlers.get(topic) ?? []) {
          // No time limit: a second call beside one that is late could let the older answer win. What hangs in a handler
          // is a query, and queries have a limit of their own.
          await handler(orgId, version);
        }
        // Noted only after the handlers succeeded: what fails is tried again by the next look.
        versions.set(topic, version);
      } catch (error) {
        this.logger.warn(`A change of ${topic} of ${orgId} cannot be taken in yet: ${messageOf(error)}`);
        return;
      }
    }
  }

  /** Logs one line when the database becomes unreachable and one when it is back, instead of four a second. */
  private reachable(isReachable: boolean, error?: unknown): void {
    if (isReachable === this.isReachable) return;
    this.isReachable = isReachable;
    if (isReachable) this.logger.log('Changes of other replicas can be read again.');
    else this.logger.warn(`Changes of other replicas cannot be read: ${messageOf(error)}`);
  }

  private async readMarks(orgIds: string[]): Promise<Mark[]> {
    const rows = await this.database.global<{ org_id: string; topic: string; version: string }>(READ_MARKS, [orgIds]);
    return rows.map(row => ({ orgId: row.org_id, topic: row.topic, version: Number(row.version) }));
  }
}

interface Mark {
  orgId: string;
  topic: string;
  version: number;
}

/**
 * A statement that raises a mark as {@link ChangeFeed.mark} does, and returns its `version`: for one that raises it and
 * goes on, in one round trip. Takes SQL expressions.
 */
export function markSql(orgId: string, topic: string, versions: string): string {
  return `
insert into ${SCHEMA}.change_marks as m (org_id, topic, version) values (${orgId}, ${topic}, ${versions})
on conflict (org_id, topic) do update set version = m.version + excluded.version
returning version::text, pg_notify('${CHANNEL}', org_id || ' ' || topic)`;
}
