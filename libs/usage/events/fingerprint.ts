import { hash } from 'node:crypto';
import { tagsText } from '#core';
import type { ParsedUsageEvent } from './usage-event.js';

/**
 * Fingerprint of an event's content: two events with the same id but different content have different fingerprints. It
 * is the first half of a SHA-256 over all normalized fields except the id: 16 bytes in hexadecimal. Key order and
 * notation (`0.1` or `"0.10"`, `Z` or `+00:00`) do not affect it. NUL separates the fields; no field can contain NUL.
 */
export function eventFingerprint(event: ParsedUsageEvent): string {
  const { tokens } = event;
  const text =
    `1\0${event.userId ?? ''}\0${event.userEmail ?? ''}\0${event.provider}\0${event.model}\0${event.occurredAt.getTime()}` +
    `\0${tokens.input_tokens}\0${tokens.output_tokens}\0${tokens.cache_read_tokens}\0${tokens.cache_write_tokens}` +
    `\0${tokens.reasoning_tokens}\0${unitsText(tokens.units)}\0${event.requests}\0${event.costPicodollars ?? ''}` +
    `\0${event.decisionId ?? ''}\0${event.metadataJson ?? ''}`;
  // The field is appended only if the event has it, so that events stored by earlier versions keep their fingerprints.
  const isAttributed = event.project !== null || event.tags !== null;
  const attribution = isAttributed ? `\0${event.project ?? ''}\0${tagsText(event.tags) ?? ''}` : '';
  const hasTerms = event.serviceTier !== 'standard' || event.region !== null;
  const terms = hasTerms ? `\0${event.serviceTier}\0${event.region ?? ''}\0terms` : '';
  return hash('sha256', text + attribution + terms, 'hex').slice(0, 32);
}

function unitsText(units: Readonly<Record<string, number>> | undefined): string {
  if (!units) return '';
  return Object.keys(units)
    .sort()
    .map(key => `${key}=${units[key]}`)
    .join(',');
}
