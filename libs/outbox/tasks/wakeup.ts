import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '#core';
import { Notifications, OrgDatabase, prepared } from '#database';

const CHANNEL = 'governance_tasks';
const TELL = prepared('tell_workers', 'select pg_notify($1, message) from unnest($2::text[]) as message');
/** Wake-ups of other processes are merged over so many milliseconds. */
const MERGE_MS = 5;

/**
 * Called with the name of a queue that may have something to do, or without one where any may. With a key, something
 * about that key has changed, and what was claimed of it and not begun is to go back.
 */
type WakeHandler = (queue?: string, key?: string) => void;

/**
 * Tells the workers of all processes that a queue has something to do, or a key has changed. Notifications are sent after the commit, merged:
 * within a transaction each would take a lock at commit that the whole server shares.
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

  /** Calls the handler whenever a queue is woken, here or elsewhere. */
  onWake(handler: WakeHandler): void {
    this.handlers.push(handler);
  }

  /** Wakes the workers of this process now and those of the others in a few milliseconds. */
  wake(queue: string): void {
    this.tell(queue);
  }

  /** Has the workers give back what they have claimed of a key and not begun. */
  recall(queue: string, key: string): void {
    this.tell(`${queue} ${key}`);
  }

  private tell(message: string): void {
    this.call(message);
    // A connection must not be opened while the pool closes; the others look by themselves within a second.
    if (this.closed) return;
    this.toTell.add(message);
    this.timer ??= setTimeout(() => void this.tellNow(), MERGE_MS).unref();
  }

  /** Wakes all workers when a transaction commits whose end this process does not see. */
  async wakeAtCommit(tx: SqlTransaction, queue: string): Promise<void> {
    // As text: some drivers of hosts cannot read the type void.
    await tx.query('select pg_notify($1, $2)::text', [CHANNEL, queue]);
  }

  /** The message is a queue's name, a space and a key, or a queue's name alone. Names of queues have no space. */
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
    // A lost wake-up costs a second: the workers look by themselves, too.
    await this.database.global(TELL, [CHANNEL, messages]).catch(() => undefined);
  }
}
