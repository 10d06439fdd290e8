import type { Principal } from './principal.js';

/** Everybody who may be acting: the person of the credential, and the people who made it for them. */
export function peopleBehind({ kind, id, userId, issuedBy = [] }: Principal): string[] {
  // A host or an identity provider may know somebody whom the directory does not.
  const subject = kind === 'jwt' || kind === 'host' ? [id] : [];
  const people = [...(userId === undefined ? [] : [userId]), ...subject, ...issuedBy];
  return [...new Set(people.map(person => person.toLowerCase()))];
}
