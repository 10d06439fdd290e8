import type { Principal } from './principal.js';

/** Everyone who may be using the credential: its user, and the users who created it. */
export function peopleBehind({ kind, id, userId, issuedBy = [] }: Principal): string[] {
  // A host or an identity provider may know users who are not in the directory, so their subjects count too.
  const subject = kind === 'jwt' || kind === 'host' ? [id] : [];
  const people = [...(userId === undefined ? [] : [userId]), ...subject, ...issuedBy];
  return [...new Set(people.map(person => person.toLowerCase()))];
}
