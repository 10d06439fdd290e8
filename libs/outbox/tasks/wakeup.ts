import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '#core';
import { Notifications, OrgDatabase, prepared } from '#database';

const CHANNEL = 'governance_tasks';
const TELL = prepared('tell_workers', 'select pg_notify($1, message) from unnest($2::text[]) as message');
/** Notifications to other processes are collected for this many milliseconds and sent together. */
const MERGE_MS = 5;

/**
 * Called with the name of a queue that may have due tasks, or without a name for all queues. If a key is given, the
 * worker must return the tasks of this key that are claimed but not started.
 */
type WakeHandler = (queue?: string, key?: string) => void;

/**
 * Notifies the workers of all processes that a queue has due tasks, or that a key was recalled. Notifications are
 * collected and sent after the commit. A notification within a transaction would take a server-wide lock at the commit.
 */
@Injectable()
export class Wakeup {
  private readonly handlers: WakeHandler[] = [];
  private readonly toTell = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private telling: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly database: OrgDatabase,
    notifications: Notifications,
  ) {
    notifications.on(CHANNEL, payload => this.call(payload));
    database.beforeClose(() => this.close());
  }

  /** Calls the handler on every notification, from this process or from others. */
  onWake(handler: WakeHandler): void {
    this.handlers.push(handler);
  }

  /** Wakes the workers of this process at once, and those of other processes within a few milliseconds. */
  wake(queue: string): void {
    this.tell(queue);
  }

  /** Makes all workers return the tasks of a key that they have claimed but not started. */
  recall(queue: string, key: string): void {
    this.tell(`${queue} ${key}`);
  }

  private tell(message: string): void {
    this.call(message);
    // While the pool closes, no connection may be opened. Other processes find the tasks when they poll, within a
    // second.
    if (this.closed) return;
    this.toTell.add(message);
    this.timer ??= setTimeout(() => void this.tellNow(), MERGE_MS).unref();
  }

  /** Wakes all workers at the commit of a transaction that this process does not control. */
  async wakeAtCommit(tx: SqlTransaction, queue: string): Promise<void> {
    // The result is cast to text, because some drivers of hosts cannot read the type void.
    await tx.query('select pg_notify($1, $2)::text', [CHANNEL, queue]);
  }

  /** A message is the name of a queue, or a name, a space and a key. Names of queues contain no spaces. */
  private call(message?: string): void {
    const space = message?.indexOf(' ') ?? -1;
    const [queue, key] = space < 0 ? [message] : [message?.slice(0, space), message?.slice(space + 1)];
    for (const handler of this.handlers) handler(queue, key);
  }

  private async close(): Promise<void> {
    this.closed = true;
    await this.tellNow();
  }

  private async tellNow(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const before = this.telling;
    this.telling = this.tellOthers().then(() => before);
    await this.telling;
  }

  private async tellOthers(): Promise<void> {
    if (this.toTell.size === 0) return;
    const messages = [...this.toTell];
    this.toTell.clear();
    // A lost notification delays tasks by at most a second, because workers also poll.
    await this.database.global(TELL, [CHANNEL, messages]).catch(() => undefined);
  }
}
