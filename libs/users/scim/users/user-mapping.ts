import { isStorableText, type Json, type JsonObject } from '#core';
import { EMAIL_MAX_LENGTH, emailDefect, emailKey } from '../../email-address.js';
import type { User } from '../../user.entity.js';
import { ScimError } from '../protocol/scim-error.js';
import { ENTERPRISE_URN } from '../protocol/urns.js';
import { foldText } from '../protocol/fold-text.js';
import type { ScimProfile, ScimUser } from './scim-user.entity.js';

/** Fields of a user, as read from a resource. */
export interface MappedUser {
  email: string;
  name: string;
  /** The requested access; undefined if the resource does not state `active`. */
  active: boolean | undefined;
  scim: ScimProfile;
}

const NAME_MAX = 255;

/** A user with the data of its identity provider and its SCIM userName. */
export interface KnownUser {
  readonly user: User;
  readonly record: ScimUser;
  readonly userName: string;
}

/** The data that the identity provider sent last, as a resource without `active`. */
export function saidResource({ record, userName }: KnownUser): JsonObject {
  const { profile, externalId } = record;
  return { ...profile, userName, ...(externalId === null ? {} : { externalId }) };
}

/** The data that the identity provider sent last, as a resource, updated with later local changes. */
export function keptResource(known: KnownUser): JsonObject {
  const { user, record } = known;
  const emails = emailsOf(record.profile);
  return {
    ...saidResource(known),
    ...(record.profile['displayName'] === undefined ? {} : { displayName: user.name }),
    ...(emails.length === 0 ? {} : { emails: [{ ...emails[0], value: user.email }, ...emails.slice(1)] }),
  };
}

/** The addresses of a user for whom the identity provider has not sent any. */
export function ownEmails({ email }: User): JsonObject[] {
  return [{ value: email, type: 'work', primary: true }];
}

/**
 * Reads the fields of a user from a resource. The user's address is the primary address, or else the first one. Without
 * addresses, it is the userName if that is an address, otherwise the user's current address.
 * @throws ScimError invalidValue
 */
export function mapUser(resource: JsonObject, presentEmail?: string): MappedUser {
  const { userName, externalId, active, ...profile } = resource;
  const name = textOf(userName) ?? '';
  const emails = emailsOf(profile);
  const email =
    emails.length > 0 ? textOf(emails[0]?.['value']) : emailDefect(name) === undefined ? name : presentEmail;
  if (email === undefined) {
    throw new ScimError('invalidValue', 'emails must contain an address if userName is not an address.');
  }
  const defect = emailDefect(email);
  if (defect) throw new ScimError('invalidValue', `emails: the primary address ${defect}.`);
  if (name.length > EMAIL_MAX_LENGTH) {
    throw new ScimError('invalidValue', `userName must be at most ${EMAIL_MAX_LENGTH} characters.`);
  }
  const { emails: _given, ...others } = profile;
  return {
    email,
    name: shortText('displayName', nameOf(profile) ?? name),
    active: typeof active === 'boolean' ? active : undefined,
    scim: {
      userName: name,
      userNameKey: foldText(name),
      externalId: textOf(externalId) ?? null,
      otherEmailKeys: emails
        .slice(1)
        .flatMap(each => textOf(each['value']) ?? [])
        .map(emailKey),
      department: departmentIn(profile),
      profile: emails.length === 0 ? others : { ...others, emails },
    },
  };
}

/**
 * The addresses, the user's own first: the primary one if there is one, otherwise the first. Ignores entries without an
 * address.
 */
function emailsOf(profile: JsonObject): JsonObject[] {
  const given = profile['emails'];
  const emails = (Array.isArray(given) ? given : []).map(partsOf).filter(each => textOf(each['value']) !== undefined);
  const primary = emails.find(each => each['primary'] === true);
  return primary ? [primary, ...emails.filter(each => each !== primary)] : emails;
}

function nameOf(profile: JsonObject): string | undefined {
  const parts = partsOf(profile['name']);
  const inParts = [textOf(parts['givenName']), textOf(parts['familyName'])]
    .filter(part => part !== undefined)
    .join(' ');
  return textOf(profile['displayName']) ?? textOf(parts['formatted']) ?? (inParts === '' ? undefined : inParts);
}

function departmentIn(profile: JsonObject): string | null {
  const department = textOf(partsOf(profile[ENTERPRISE_URN])['department']);
  return department === undefined ? null : shortText('department', department);
}

function shortText(attribute: string, text: string): string {
  if (text.length > NAME_MAX)
    throw new ScimError('invalidValue', `${attribute} must be at most ${NAME_MAX} characters.`);
  if (!isStorableText(text)) throw new ScimError('invalidValue', `${attribute} has characters that cannot be stored.`);
  return text;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function partsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
