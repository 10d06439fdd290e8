import { canonicalJson, isUuid, type JsonObject } from '#core';
import { REDACTED } from './audit-redaction.js';
import type { AuditContent, AuditRow } from './audit-row.js';

/** The person to erase from the content of rows. */
export interface ErasedPerson {
  readonly userId: string;
  /** Text that replaces erased texts. */
  readonly placeholder: string;
  /** Other ids of the person as an actor: ids of tokens, and accounts at identity providers. */
  readonly acts: ReadonlySet<string>;
  /** Matches the person's addresses and names in texts. Has the flag `g`. */
  readonly texts: RegExp;
}

/** Fields whose texts identify a person in any form. */
const PERSONAL_FIELD = /(^|_)(name|account|subject|reason|note|email|address|department|attributes|profile|scim)$/;
/** Texts without personal data: identifiers of this package, such as `user_suspended` or `users:read`, and times. */
const OWN_WORD = /^[a-z_:]{1,40}$|^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/;

/**
 * Removes a person from the content of a row. A row by the person keeps the action, without the name and the client
 * address. A row about the person keeps ids, numbers, times and identifiers of this package. Any other row only loses
 * texts that mention the person.
 */
export function erasedContent(row: AuditRow, person: ErasedPerson): AuditContent {
  const isActor = isSame(row.actor_user_id, person.userId) || person.acts.has(row.actor_id);
  const [before, after] = [parsed(row.before), parsed(row.after)];
  const isAbout =
    isSame(row.resource_id, person.userId) ||
    person.acts.has(row.resource_id) ||
    [before, after].some(state => isSame(state?.['user_id'], person.userId));
  const erase = (value: unknown): unknown => (isAbout ? stripped(value, person) : scrubbed(value, person));
  const text = (value: JsonObject | null) => (value === null ? null : canonicalJson(erase(value)));
  // An entry about an erasure contains digests. They must stay unchanged, because the check of the chain compares them.
  const isRecord = row.action === REDACTED;
  const { placeholder } = person;
  return {
    actor_id: isActor && !isUuid(row.actor_id) ? placeholder : scrub(row.actor_id, person),
    actor_name: isActor ? placeholder : scrub(row.actor_name, person),
    address: isActor ? null : row.address,
    request_id: isActor ? null : row.request_id,
    before: isRecord ? row.before : text(before),
    after: isRecord ? row.after : text(after),
  };
}

function stripped(value: unknown, person: ErasedPerson): unknown {
  if (typeof value === 'string')
    return isUuid(value) || OWN_WORD.test(value) ? scrub(value, person) : person.placeholder;
  if (Array.isArray(value)) return value.map(each => stripped(each, person));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).map(([field, each]) => [
    keyed(field, person),
    PERSONAL_FIELD.test(field) && each !== null ? person.placeholder : stripped(each, person),
  ]);
  return Object.fromEntries(kept);
}

function scrubbed(value: unknown, person: ErasedPerson): unknown {
  if (typeof value === 'string') return scrub(value, person);
  if (Array.isArray(value)) return value.map(each => scrubbed(each, person));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [keyed(field, person), scrubbed(each, person)]),
  );
}

/** A key of a JSON object may be a person's name, so names in keys are replaced. A key is never an e-mail address. */
function keyed(field: string, person: ErasedPerson): string {
  return field.includes('@') ? scrub(field, person) : field;
}

function scrub(text: string, { texts, placeholder }: ErasedPerson): string {
  return text.replaceAll(texts, placeholder);
}

function parsed(text: string | null): JsonObject | null {
  return text === null ? null : (JSON.parse(text) as JsonObject);
}

function isSame(value: unknown, id: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === id;
}
