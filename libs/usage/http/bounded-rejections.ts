import type { RejectedEvent } from '../ingest/usage-ingestion.js';

/** Message of a shortened entry. It is short, because the field already names the fault. */
const BRIEFLY = 'same';
const CONFLICT = 'conflict';
/** Bytes reserved for the counts that the response contains besides the list. */
const COUNTS_BYTES = 256;

/**
 * Limits the list of rejected events to a number of bytes. Every entry contains the index of its event. If the full
 * list is too long, later entries have no id and only a short message.
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
