import { randomFillSync } from 'node:crypto';
import { newId } from '#core';

const RANDOM_BYTES = 10;
const POOL_BYTES = RANDOM_BYTES * 400;
const COUNTER_MAX = 0xfff;

/**
 * Ids of decisions: UUIDs version 7 that increase within this process, even within one millisecond (RFC 9562, section
 * 6.2, method 1). The order of ids is therefore the order of time. Random bytes are generated for 400 ids at once.
 */
export class DecisionIds {
  private readonly pool = Buffer.alloc(POOL_BYTES);
  private used = POOL_BYTES;
  private millisecond = -1;
  private counter = 0;

  next(now: Date): string {
    if (this.used === POOL_BYTES) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const random = this.pool.subarray(this.used, (this.used += RANDOM_BYTES));
    const millisecond = now.getTime();
    this.counter = millisecond === this.millisecond ? Math.min(this.counter + 1, COUNTER_MAX) : 0;
    this.millisecond = millisecond;
    // The 12 bits after the version contain the counter. `newId` takes them from the first byte and the upper half of
    // the second byte.
    random[0] = this.counter >>> 4;
    random[1] = ((this.counter & 0xf) << 4) | ((random[1] ?? 0) & 0xf);
    return newId(now, random);
  }
}

const RANDOM_DIGITS = 12;
const RANDOM_VALUES = 16 ** RANDOM_DIGITS;

/**
 * Whether an id belongs to a sample with this share, from 0 to 1. This depends on the last 48 bits of the id, which are
 * random.
 */
export function isChosen(id: string, share: number): boolean {
  return share >= 1 || Number.parseInt(id.slice(-RANDOM_DIGITS), 16) < share * RANDOM_VALUES;
}

/** The time when an id was created, in milliseconds since 1970. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
