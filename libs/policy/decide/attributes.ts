import { isTagKey, tagOf, type Tags } from '#core';

/**
 * The person of the request. A user of the directory can be passed directly. For an unknown user, every field may be
 * missing. `attributes` contains custom attributes of the organization. Values of the directory must override values of
 * the request: `{ ...claimed, ...user.attributes }`.
 */
export interface DecisionSubject {
  readonly id?: string | null;
  readonly email?: string | null;
  readonly name?: string | null;
  readonly department?: string | null;
  readonly role?: string | null;
  readonly status?: string | null;
  readonly attributes?: Readonly<Record<string, unknown>> | null;
}

/** The requested model and its context. */
export interface DecisionRequest {
  readonly model: string;
  readonly provider?: string | null;
  readonly deviceStatus?: string | null;
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
}

/** An attribute that conditions can refer to. */
export interface Attribute {
  readonly name: string;
  /** Whether values and operands are compared case-insensitively. */
  readonly caseless: boolean;
  /** The value in the directory or the request. Null and undefined both mean "missing". */
  read(subject: DecisionSubject, request: DecisionRequest): unknown;
}

/** Prefix of custom attributes of the organization in conditions: `attributes.<key>`. */
export const OWN_ATTRIBUTE_PREFIX = 'attributes.';

/** Prefix of the request's tags in conditions: `tags.<key>`. */
const TAG_PREFIX = 'tags.';

/** Maximum length of `<key>` in `attributes.<key>`, in UTF-16 units. */
export const OWN_ATTRIBUTE_KEY_MAX = 128;

const FIXED = new Map<string, Attribute>(
  (
    [
      ['department', false, subject => subject.department],
      ['role', false, subject => subject.role],
      ['status', false, subject => subject.status],
      ['email', true, subject => subject.email],
      ['email_domain', true, subject => domainOf(subject.email)],
      ['name', false, subject => subject.name],
      ['user_id', false, subject => subject.id],
      ['provider', false, (_subject, request) => request.provider],
      ['project', false, (_subject, request) => request.project],
      ['device_status', false, (_subject, request) => request.deviceStatus],
    ] satisfies [string, boolean, Attribute['read']][]
  ).map(([name, caseless, read]) => [name, { name, caseless, read }]),
);

/** The names of all attributes, for error messages. */
export const KNOWN_ATTRIBUTES: readonly string[] = [
  ...FIXED.keys(),
  `${OWN_ATTRIBUTE_PREFIX}<key>`,
  `${TAG_PREFIX}<key>`,
];

/** The attribute with this name, or undefined. Only own properties of objects are read, so that any key is safe. */
export function attributeNamed(name: string): Attribute | undefined {
  const fixed = FIXED.get(name);
  if (!fixed && name.startsWith(TAG_PREFIX)) return tagNamed(name, name.slice(TAG_PREFIX.length));
  if (fixed || !name.startsWith(OWN_ATTRIBUTE_PREFIX)) return fixed;
  const key = name.slice(OWN_ATTRIBUTE_PREFIX.length);
  if (key === '' || key.length > OWN_ATTRIBUTE_KEY_MAX) return undefined;
  const read = ({ attributes }: DecisionSubject) =>
    attributes && Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  return { name, caseless: false, read };
}

function tagNamed(name: string, key: string): Attribute | undefined {
  if (!isTagKey(key)) return undefined;
  return { name, caseless: false, read: (_subject, { tags }) => tagOf(tags ?? null, key) };
}

/**
 * A value or operand in the form in which it is compared. If the attribute is case-insensitive, strings are converted
 * to lower case, also inside a list.
 */
export function comparable(attribute: Attribute, value: unknown): unknown {
  if (!attribute.caseless) return value;
  if (typeof value === 'string') return value.toLowerCase();
  return Array.isArray(value) ? value.map(entry => (typeof entry === 'string' ? entry.toLowerCase() : entry)) : value;
}

function domainOf(email: string | null | undefined): string | undefined {
  const at = email?.lastIndexOf('@') ?? -1;
  return at === -1 ? undefined : email?.slice(at + 1);
}
