import assert from 'node:assert/strict';
import type { FiredEvent } from '#outbox';
import type { Reply } from './receiver.js';

/** Milliseconds before attempts 1 to 5, from the end of the previous one. */
const DELAYS = [0, 1_000, 5_000, 30_000, 300_000];
/** The lease of an attempt in milliseconds. */
export const LEASE_MS = 18_000;
const INTERRUPTIONS_MAX = 3;

const LOGGED: Record<Reply | 'interrupted', string> = {
  200: '200',
  500: '500',
  404: '404',
  302: '302',
  close: 'reset',
  interrupted: 'interrupted',
};

type Trigger = 'schedule' | 'manual' | 'recovery';

/** The number of the next or current attempt. */
export interface Coming {
  number: number;
  trigger: Trigger;
  /** The time when the attempt is due. While the attempt runs, the time when its lease ends. */
  due: number;
  /** The number of the lease, unique within the delivery. 0 if no worker has claimed the attempt yet. */
  lease: number;
  interruptions: number;
  /**
   * Whether the due time is an estimate, counted from the end of the previous attempt. It stays one until the exact
   * time is read from the database.
   */
  isCounted: boolean;
}

/** The expected state of one event's delivery to one webhook. */
export class ModelDelivery {
  /** The id, known once the app has returned it. */
  id: string | undefined;
  status: 'pending' | 'delivered' | 'failed' | 'cancelled' = 'pending';
  attempts = 0;
  readonly log: string[] = [];
  coming: Coming | undefined;
  #leases = 0;

  constructor(
    readonly event: FiredEvent,
    readonly createdAt: number,
  ) {
    this.coming = { number: 1, trigger: 'schedule', due: createdAt, lease: 0, interruptions: 0, isCounted: false };
  }

  isDue(now: number): boolean {
    return this.coming !== undefined && this.coming.due <= now;
  }

  /** A worker claims the attempt. */
  claim(now: number): Coming {
    const { coming } = this;
    assert.ok(coming);
    if (coming.lease > 0) coming.interruptions += 1;
    coming.due = now + LEASE_MS;
    coming.isCounted = false;
    this.#leases += 1;
    coming.lease = this.#leases;
    return coming;
  }

  /**
   * Does the steps of a worker: claims the attempt, records an interrupted one, and sends. Returns whether there is a
   * POST.
   */
  begin(now: number): boolean {
    const coming = this.claim(now);
    const { number, trigger, interruptions } = coming;
    if (interruptions > 0) this.log.push(`${number} ${trigger} ${LOGGED.interrupted}`);
    if (interruptions < INTERRUPTIONS_MAX) return true;
    this.conclude(coming, 'failed', now);
    return false;
  }

  /** Ends the attempt under a lease. Has no effect if another worker has taken the attempt over. */
  end(lease: number, reply: Reply, now: number): boolean {
    const { coming } = this;
    if (coming?.lease !== lease) return false;
    const { number, trigger } = coming;
    this.log.push(`${number} ${trigger} ${LOGGED[reply]}`);
    this.conclude(coming, reply === 200 ? 'delivered' : 'failed', now);
    return true;
  }

  /** A caller requests one more attempt. */
  reopen(trigger: 'manual' | 'recovery', now: number): void {
    this.status = 'pending';
    this.coming = { number: this.attempts + 1, trigger, due: now, lease: 0, interruptions: 0, isCounted: false };
  }

  cancel(): void {
    if (this.status === 'pending') this.status = 'cancelled';
    this.coming = undefined;
  }

  private conclude({ number, trigger }: Coming, result: 'delivered' | 'failed', now: number): void {
    this.attempts = number;
    const delay = DELAYS[number];
    if (result === 'failed' && trigger === 'schedule' && delay !== undefined) {
      this.coming = { number: number + 1, trigger, due: now + delay, lease: 0, interruptions: 0, isCounted: true };
    } else {
      this.status = result;
      this.coming = undefined;
    }
  }
}
