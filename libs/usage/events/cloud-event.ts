import { isUuid } from '#core';
import { FieldReader, isEmail, isRecord } from './field-reader.js';
import type { EventRefusal } from './usage-event.js';

const MAX_ATTRIBUTE = 255;

/**
 * Reads a usage event from a CloudEvents 1.0 envelope. `data` holds the usage fields. If `data` lacks `id`,
 * `occurred_at` or the user, the envelope's `id`, `time` or `subject` is used. The subject is a UUID or an e-mail
 * address. Extension attributes are ignored.
 */
export function cloudEventToRaw(envelope: unknown): { raw: Record<string, unknown> } | { refusal: EventRefusal } {
  if (!isRecord(envelope)) return { refusal: { id: null, field: 'event', message: 'must be a CloudEvent object' } };
  const read = new FieldReader(envelope);
  const id = read.text('id', MAX_ATTRIBUTE);
  if (envelope['specversion'] !== '1.0') read.refuse('specversion', 'must be "1.0"');
  read.text('source', 2_048);
  read.text('type', MAX_ATTRIBUTE);
  if (read.has('data_base64')) read.refuse('data_base64', 'is not supported; send the usage as a JSON object in data');
  const { data } = envelope;
  if (!isRecord(data)) read.refuse('data', 'must be an object with the fields of a usage event');
  const subject = subjectFields(read, isRecord(data) ? data : {});
  if (read.refusal || !isRecord(data)) return { refusal: { id: id || null, ...requireRefusal(read) } };
  return { raw: { ...data, id: data['id'] ?? id, occurred_at: data['occurred_at'] ?? envelope['time'], ...subject } };
}

function subjectFields(read: FieldReader, data: Record<string, unknown>): Record<string, string> {
  const named = (data['user_id'] ?? data['user_email'] ?? null) !== null;
  if (named || !read.has('subject')) return {};
  const subject = read.value('subject');
  if (isUuid(subject)) return { user_id: subject };
  if (typeof subject === 'string' && isEmail(subject)) return { user_email: subject };
  read.refuse('subject', 'must be the UUID or e-mail address of the user, unless data names the user');
  return {};
}

function requireRefusal(read: FieldReader): { field: string; message: string } {
  return read.refusal ?? { field: 'data', message: 'must be an object with the fields of a usage event' };
}
