import type { Actor } from '#access';
import { BadRequestError } from '#core';
import { namedPerson, type NamedPerson } from './named-person.js';

/** Names the person that a request is about, by id or e-mail address. */
export const USER_HEADER = 'x-governance-user';

/**
 * The person that a request is about: the one whom the header names, else the one behind the credential; undefined
 * where there is neither. Only for routes whose scope lets the caller decide for others.
 * @throws BadRequestError where the header names nobody
 */
export function callerPerson({ userId }: Actor, header: unknown): NamedPerson | undefined {
  if (header === undefined || header === '') return userId === undefined ? undefined : { user_id: userId };
  const person = namedPerson(header);
  if (person) return person;
  throw BadRequestError.field('X-Governance-User', 'must be the e-mail address or the id of a person');
}
