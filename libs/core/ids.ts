import { randomFillSync } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** Number of random bytes per id. */
const RANDOM_BYTES = 10;
/** Number of ids per call of the random source. A call costs ten times as much as all other work for one id. */
const IDS_PER_FILL = 200;

const random = Buffer.alloc(RANDOM_BYTES * IDS_PER_FILL);
let used = random.length;

/** Returns ten random bytes. No byte of the random source is used twice. */
function nextRandom(): Uint8Array {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += RANDOM_BYTES;
  return random.subarray(used - RANDOM_BYTES, used);
}

/**
 * A new UUID version 7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, the rest random. Rows that are created at
 * the same time are adjacent in an index.
 */
export function newId(now: Date = new Date(), bytes: Uint8Array = nextRandom()): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  const variant = ((parseInt(tail.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-${variant}${tail.slice(4, 7)}-${tail.slice(7, 19)}`;
}

const NOTHING_RANDOM = Buffer.alloc(RANDOM_BYTES);

/**
 * The lowest id that {@link newId} can create at a time. An id is at least this value if and only if it was created at
 * that time or later.
 */
export function firstIdAt(time: Date): string {
  return newId(new Date(Math.max(0, time.getTime())), NOTHING_RANDOM);
}
