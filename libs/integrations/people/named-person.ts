import { isStorableText, isUuid, BadRequestError } from '#core';
import type { Actor } from '#access';

const EMAIL_MAX = 320;

/** A person in the format of decisions and usage events. */
export type NamedPerson = { readonly user_id: string } | { readonly user_email: string };

/** Parses a text as the id or e-mail address of a person; undefined if it is neither. */
export function namedPerson(value: unknown): NamedPerson | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const isId: boolean = isUuid(text);
  if (isId) return { user_id: text.toLowerCase() };
  return text.includes('@') && text.length <= EMAIL_MAX && isStorableText(text) ? { user_email: text } : undefined;
}

/** Header that names the person of a request, by id or e-mail address. */
export const USER_HEADER = 'x-governance-user';

/**
 * The person whom a request concerns: the person in the header, or else the user of the credential. Undefined if there
 * is neither. Only for routes whose scope permits requests about other people.
 * @throws BadRequestError if the header is invalid
 */
export function callerPerson({ userId }: Actor, header: unknown): NamedPerson | undefined {
  if (header === undefined || header === '') return userId === undefined ? undefined : { user_id: userId };
  const person = namedPerson(header);
  if (person) return person;
  throw BadRequestError.field('X-Governance-User', 'must be the e-mail address or the id of a person');
}
