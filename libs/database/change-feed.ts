import { Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf, within } from '#core';
import { SCHEMA, type DatabaseOptions } from './database.options.js';
import type { Notifications } from './notifications.js';
import type { OrgDatabase } from './org-database.js';
import { sqlOf } from './sql-transaction.js';

/**
 * Called when a topic of an organization has changed on any replica. If the handler fails, it is called again. Calls
 * for the same organization and topic never overlap.
 */
export type ChangeHandler = (orgId: string, version: number) => Promise<void> | void;

const CHANNEL = 'governance_changes';
const DEFAULT_POLL_MS = 250;
/** Timeout of a poll in milliseconds. If a connection hangs, the next poll uses another connection. */
const LOOK_MS = 500;
/** Timeout of the first poll for an organization, in milliseconds. */
const WATCH_MS = 10_000;
/** How long a writer waits until this process has handled the writer's own change, in milliseconds. */
const SETTLE_MS = 2_000;

const MARK = markSql('$1', '$2', '$3::bigint');

const READ_MARK = `select version::text from ${SCHEMA}.change_marks where org_id = $1 and topic = $2`;

const READ_MARKS = `select org_id, topic, version::text from ${SCHEMA}.change_marks_of($1)`;

/**
 * Notifies all replicas of changes. Each change increments the version of its topic in the business transaction.
 * Versions and changes are therefore committed together, in one order per organization and topic. A notification
 * announces the change within milliseconds. In addition, each replica polls the versions, to find changes whose
 * notification was lost. Polling guarantees a delay of at most one second.
 */
export class ChangeFeed {
  private readonly logger = new Logger('Governance');
  private readonly handlers = new Map<string, ChangeHandler[]>();
  private readonly resetHandlers: ((orgId: string) => void)[] = [];
  /** Last handled version, per organization and topic. Contains only organizations with data in memory. */
  private readonly seen = new Map<string, Map<string, number>>();
  private timer: NodeJS.Timeout | undefined;
  /** The running or the last poll of the versions. */
  private running: Promise<void> | undefined;
  /** The next poll, which has not started yet. */
  private next: Promise<void> | undefined;
  /** Versions that wait for a handler, per organization and topic. `working` contains the running handlers. */
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

  /** Calls the handler for every later change of the topic in any watched organization. */
  subscribe(topic: string, handler: ChangeHandler): void {
    this.handlers.set(topic, [...(this.handlers.get(topic) ?? []), handler]);
  }

  /**
   * Calls the handler when versions of an organization are lower than before, or missing. Either the organization was
   * deleted, or the database has lost its latest changes, after a restore or a failover without synchronous
   * replication. The handler must discard all cached data of the organization. The organization stays watched, and its
   * topics are reported again.
   */
  onReset(handler: (orgId: string) => void): void {
    this.resetHandlers.push(handler);
  }

  /**
   * Increments the version of a topic in the transaction that makes the change, and returns it. The row stays locked
   * until that transaction ends. With `versions`, increments it by that number, if several changes need one version
   * each.
   */
  async mark(em: EntityManager, orgId: string, topic: string, versions = 1): Promise<number> {
    const [row] = await sqlOf(em).query<{ version: string }>(MARK, [orgId, topic, versions]);
    return Number(row?.version);
  }

  /**
   * The version of a topic as a transaction sees it; 0 if the topic never changed. Data from the same statement or
   * snapshot has exactly this version.
   */
  async versionWithin(em: EntityManager, orgId: string, topic: string): Promise<number> {
    const [row] = await sqlOf(em).query<{ version: string }>(READ_MARK, [orgId, topic]);
    return Number(row?.version ?? 0);
  }

  /**
   * Starts watching an organization. Call it before you load data into memory: the loaded data is then at least as new
   * as the versions recorded here.
   */
  async watch(orgId: string): Promise<void> {
    if (this.seen.has(orgId)) return;
    // Checks the organization first, so that requests for unknown organizations do not fill the map.
    await this.database.assertOrganization(orgId);
    const marks = await within(WATCH_MS, this.readMarks([orgId]));
    if (this.seen.has(orgId)) return;
    this.seen.set(orgId, new Map(marks.map(mark => [mark.topic, mark.version])));
  }

  /**
   * Polls for changes and waits until they are handled. A caller that has committed a change then reads its own write.
   * With `orgId`, waits only for the changes of that organization. Waits at most two seconds. Never rejects: failures
   * are logged, and the next poll retries.
   */
  async refresh(orgId?: string): Promise<void> {
    // A running poll may have started before the caller's commit, so the caller must wait for the next poll.
    this.next ??= (this.running ?? Promise.resolve()).then(() => {
      this.next = undefined;
      this.running = this.look();
      return this.running;
    });
    await this.next;
    const mine = [...this.working.values()].filter(entry => orgId === undefined || entry.orgId === orgId);
    if (mine.length > 0) await within(SETTLE_MS, Promise.all(mine.map(entry => entry.work))).catch(() => undefined);
  }

  /** Milliseconds since the versions were last read. Data in memory may be outdated by at most this time. */
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
      this.noticeResets(watched, marks);
      for (const mark of marks) this.take(mark);
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

  /** Polls never overlap, and versions only increase. A lower version therefore shows that changes were lost. */
  private noticeResets(watched: ReadonlyMap<string, ReadonlyMap<string, number>>, marks: readonly Mark[]): void {
    const resets = new Set<string>();
    const found = new Map<string, number>();
    for (const { orgId, topic, version } of marks) {
      const before = watched.get(orgId)?.get(topic);
      if (before === undefined) continue;
      found.set(orgId, (found.get(orgId) ?? 0) + 1);
      if (version < before) resets.add(orgId);
    }
    for (const [orgId, versions] of watched) {
      if ((found.get(orgId) ?? 0) < versions.size) resets.add(orgId);
    }
    for (const orgId of resets) {
      // A deleted organization has no versions.
      if (found.has(orgId)) this.logger.warn(`The database has lost changes of ${orgId}. Its data is loaded again.`);
      this.seen.set(orgId, new Map());
      for (const handler of this.resetHandlers) handler(orgId);
    }
  }

  private async handle(orgId: string, topic: string, key: string): Promise<void> {
    const versions = this.seen.get(orgId);
    for (;;) {
      const version = this.wanted.get(key) ?? 0;
      if (!versions || (versions.get(topic) ?? 0) >= version) return;
      try {
        for (const handler of this.handlers.get(topic) ?? []) {
          // Has no timeout. If a second call could overtake a slow first call, the older result might replace the newer
          // one. Handlers wait only for queries, which have their own timeout.
          await handler(orgId, version);
        }
        // The version is recorded only after its handler has succeeded, so that the next poll repeats a failed call.
        versions.set(topic, version);
      } catch (error) {
        this.logger.warn(`A change of ${topic} of ${orgId} cannot be taken in yet: ${messageOf(error)}`);
        return;
      }
    }
  }

  /** Logs once when the database becomes unreachable and once when it is reachable again, instead of at every poll. */
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
 * An SQL statement that increments a version and returns it as `version`, like {@link ChangeFeed.mark}. Use it as a
 * part of a longer statement, to save a round trip. The arguments are SQL expressions.
 */
export function markSql(orgId: string, topic: string, versions: string): string {
  return `
insert into ${SCHEMA}.change_marks as m (org_id, topic, version) values (${orgId}, ${topic}, ${versions})
on conflict (org_id, topic) do update set version = m.version + excluded.version
returning version::text, pg_notify('${CHANNEL}', org_id || ' ' || topic)`;
}
