import { TextBody } from '#access';
import { BadRequestError, inspectJson, UnsupportedMediaTypeError } from '#core';
import { splitNdjsonBatch, type RawEvent } from '#usage';
import { isRecord } from '../records.js';

/** Media type of texts with one JSON object per line. */
export const NDJSON = 'application/x-ndjson';

/** Maximum number of entries in one request. */
export const ENTRIES_MAX = 1_000;

/**
 * The entries in a request of LiteLLM's logger: a list, a single entry, or one entry per line. LiteLLM also sends lines
 * as `application/json`, so the content type is ignored.
 * @throws BadRequestError if the body contains no valid entry, or more than 1,000
 */
export function entriesOf(body: unknown): RawEvent[] {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError(`Send log entries with content-type: application/json or ${NDJSON}.`);
  }
  if (!(body instanceof TextBody)) return listed(body);
  const whole = parsed(body.text);
  if (!whole) return lines(body.text);
  if (inspectJson(body.text)) {
    throw new BadRequestError('The body has a duplicate or forbidden key, or is nested too deeply.');
  }
  return listed(whole.value);
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function listed(value: unknown): RawEvent[] {
  if (isRecord(value)) return [{ index: 0, raw: value }];
  if (!Array.isArray(value))
    throw new BadRequestError('The body must be a log entry, a list of them, or one per line.');
  if (value.length === 0 || value.length > ENTRIES_MAX) {
    throw new BadRequestError(`The body must hold 1 to ${ENTRIES_MAX} log entries.`);
  }
  const entries: readonly unknown[] = value;
  return entries.map((raw, index) => ({ index, raw }));
}

function lines(text: string): RawEvent[] {
  const entries = splitNdjsonBatch(text);
  if (entries.every(entry => 'refusal' in entry)) {
    throw new BadRequestError('The body is neither JSON nor one JSON object per line.');
  }
  return entries;
}
