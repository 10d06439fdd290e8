import type { RejectedEvent } from '../ingest/usage-ingestion.js';

/** A message in as few bytes as can be: the field says what is at fault. */
const BRIEFLY = 'same';
const CONFLICT = 'conflict';
/** Room for the counts beside the list. */
const COUNTS_BYTES = 256;

/**
 * The rejected events within a limit in bytes. Each is named by its index, the first ones in full; where that would be
 * too long for all, the later ones come without their id and with a brief message.
 */
export function boundedRejections(rejected: readonly RejectedEvent[], maxBytes: number): RejectedEvent[] {
  const brief = rejected.map(event => ({
    ...event,
    id: null,
    message: event.message.startsWith(CONFLICT) ? CONFLICT : BRIEFLY,
  }));
  let bytesLeft = maxBytes - COUNTS_BYTES - brief.reduce((sum, event) => sum + bytesOf(event), 0);
  return rejected.map((event, at) => {
    const short = brief[at] ?? event;
    bytesLeft -= bytesOf(event) - bytesOf(short);
    return bytesLeft >= 0 ? event : short;
  });
}

function bytesOf(event: RejectedEvent): number {
  return Buffer.byteLength(JSON.stringify(event)) + 1;
}
