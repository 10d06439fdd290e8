import type { Actor } from '#access';
import { BadRequestError, ForbiddenError, isStorableText, isUuid } from '#core';

/** Header that names the person of a call, by id or e-mail address. */
export const USER_HEADER = 'x-governance-user';

const EMAIL_MAX = 320;

/** A person in the form in which decisions name one. */
export type Person = { readonly user_id: string } | { readonly user_email: string };

/**
 * The person for whom a call counts: the user of the credential, or the person in the header `X-Governance-User`.
 * Without the scope `decisions:write`, the header may only contain the id of the credential's own user.
 * @throws BadRequestError if no person is named
 * @throws ForbiddenError if the header needs the scope
 */
export function personOf({ userId, scopes }: Actor, header: string | string[] | undefined): Person {
  const named = typeof header === 'string' ? header.trim() : undefined;
  if (named === undefined || named === '') {
    if (userId !== undefined) return { user_id: userId };
    throw new BadRequestError(
      'This token belongs to no person; name the person of the call in the header X-Governance-User (e-mail or id).',
    );
  }
  const person = readPerson(named);
  const isOneself = 'user_id' in person && person.user_id === userId;
  if (!isOneself && !scopes.has('decisions:write')) {
    throw new ForbiddenError('This token is for its own person only; leave the header X-Governance-User out.');
  }
  return person;
}

function readPerson(named: string): Person {
  const isId: boolean = isUuid(named);
  if (isId) return { user_id: named.toLowerCase() };
  if (named.includes('@') && named.length <= EMAIL_MAX && isStorableText(named)) return { user_email: named };
  throw new BadRequestError('X-Governance-User must be the e-mail address or the id of a person.');
}
