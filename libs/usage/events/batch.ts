import { BadRequestError, inspectJson, JSON_MAX_KEYS, type JsonDefect } from '#core';
import { cloudEventToRaw } from './cloud-event.js';
import { isRecord } from './field-reader.js';
import type { EventRefusal } from './usage-event.js';

/** Maximum number of events in a batch. */
const MAX_BATCH_EVENTS = 1_000;

/**
 * One event of a batch with its index. The event is either ready to parse, or already refused because of an invalid
 * envelope.
 */
export type RawEvent = { index: number; raw: unknown } | { index: number; refusal: EventRefusal };

/**
 * The events of an `application/json` body, `{ "events": [ … ] }`.
 * @throws BadRequestError if the body has another shape, no event or more than 1,000
 */
export function splitJsonBatch(body: unknown): RawEvent[] {
  if (!isRecord(body)) throw new BadRequestError('The body must be an object with the field events');
  const unknown = Object.keys(body).find(field => field !== 'events');
  if (unknown !== undefined) {
    throw BadRequestError.field(unknown.slice(0, 100).toWellFormed(), 'is not a known field; the body has only events');
  }
  if (!Array.isArray(body['events'])) throw BadRequestError.field('events', 'must be an array of usage events');
  return checkSize(body['events']).map((raw, index) => ({ index, raw }));
}

/**
 * The events of an `application/cloudevents-batch+json` body: an array of CloudEvents 1.0.
 * @throws BadRequestError if the body is no array, or has no event or more than 1,000
 */
export function splitCloudEventsBatch(body: unknown): RawEvent[] {
  if (!Array.isArray(body)) throw new BadRequestError('The body must be an array of CloudEvents');
  return checkSize(body).map((envelope, index) => placed(index, cloudEventToRaw(envelope)));
}

/**
 * The events of an `application/x-ndjson` body, one JSON object per line. Ignores blank lines. The index of an event
 * counts events; an error message states the line number.
 * @throws BadRequestError if there is no event or more than 1,000
 */
export function splitNdjsonBatch(text: string): RawEvent[] {
  const lines: { line: string; number: number }[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() !== '') lines.push({ line, number: at + 1 });
  }
  return checkSize(lines).map(({ line, number }, index) => placed(index, parseNdjsonLine(line, number)));
}

/** One line of NDJSON, for imports that read line by line. */
export function parseNdjsonLine(line: string, lineNumber: number): { raw: unknown } | { refusal: EventRefusal } {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return { refusal: { id: null, field: 'event', message: `line ${lineNumber} is not valid JSON` } };
  }
  const defect = inspectJson(line);
  if (!defect) return { raw };
  return { refusal: { id: null, field: 'event', message: `line ${lineNumber} ${defectMessage(defect)}` } };
}

function placed(index: number, outcome: { raw: unknown } | { refusal: EventRefusal }): RawEvent {
  return 'raw' in outcome ? { index, raw: outcome.raw } : { index, refusal: outcome.refusal };
}

function defectMessage(defect: JsonDefect): string {
  if (defect.kind === 'too_deep') return 'is nested too deep';
  if (defect.kind === 'too_many_keys') return `has more than ${JSON_MAX_KEYS} keys in one object`;
  const key = JSON.stringify(defect.key.slice(0, 100).toWellFormed());
  return defect.kind === 'duplicate_key'
    ? `contains the key ${key} twice in one object`
    : `has the key ${key}, which is not allowed`;
}

function checkSize<T>(events: readonly T[]): readonly T[] {
  if (events.length === 0) throw BadRequestError.field('events', 'is empty; send 1 to 1,000 events');
  if (events.length > MAX_BATCH_EVENTS) {
    throw BadRequestError.field('events', `holds ${events.length} events; send at most 1,000 in one batch`);
  }
  return events;
}
