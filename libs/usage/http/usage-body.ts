import { BadRequestError, inspectJson, JSON_MAX_DEPTH, JSON_MAX_KEYS, UnsupportedMediaTypeError } from '#core';
import { TextBody } from '#access';
import { splitCloudEventsBatch, splitJsonBatch, splitNdjsonBatch, type RawEvent } from '../events/index.js';

/** One JSON object per line. */
export const NDJSON = 'application/x-ndjson';

/** An array of CloudEvents 1.0. */
export const CLOUD_EVENTS = 'application/cloudevents-batch+json';

/** Maximum size of a batch body. */
export const MAX_BATCH_BYTES = 5 * 1024 * 1024;

/**
 * Reads the events of a request body in any of the three formats.
 * @throws BadRequestError
 */
export function eventsOf(body: unknown): RawEvent[] {
  if (!(body instanceof TextBody)) return splitJsonBatch(body);
  if (body.contentType === NDJSON) return splitNdjsonBatch(body.text);
  if (body.contentType === CLOUD_EVENTS) return splitCloudEventsBatch(parseJson(body.text));
  throw new UnsupportedMediaTypeError(`Send content-type: application/json, ${NDJSON}, ${CLOUD_EVENTS}.`);
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadRequestError('The body is not valid JSON.');
  }
  const defect = inspectJson(text);
  if (!defect) return value;
  if (defect.kind === 'too_deep') throw new BadRequestError(`The body nests deeper than ${JSON_MAX_DEPTH} levels.`);
  if (defect.kind === 'too_many_keys') {
    throw new BadRequestError(`The body is refused: an object in it has more than ${JSON_MAX_KEYS} keys.`);
  }
  const key = JSON.stringify(defect.key.slice(0, 100));
  throw new BadRequestError(
    `The body is refused: the key ${key} ${defect.kind === 'duplicate_key' ? 'appears twice in one object' : 'is not allowed'}.`,
  );
}
