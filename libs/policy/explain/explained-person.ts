import { canonicalJson, type DirectoryUser, type Tags, type UserReference } from '#core';
import type { DecisionRequest, DecisionSubject } from '../decide/index.js';
import type { RecordedDecision } from '../records/decision-log.js';
import type { ExplainedDevice, ExplainedPerson, PersonNow } from './explanation.js';

const FIELDS = ['user_id', 'email', 'name', 'department', 'role', 'status'] as const;

/** The person as the record contains it. */
export function personThen({ user_id, user_email, attributes }: RecordedDecision): ExplainedPerson {
  const { attributes: own } = attributes;
  return {
    // If the id was sent with capital letters, the original is an attribute of the record.
    user_id: textOf(attributes['user_id']) ?? user_id,
    email: user_email,
    name: textOf(attributes['name']),
    department: textOf(attributes['department']),
    role: textOf(attributes['role']),
    status: textOf(attributes['status']),
    attributes: isRecord(own) ? own : {},
  };
}

/** The device as the record contains it. */
export function deviceThen({ attributes }: Pick<RecordedDecision, 'attributes'>): ExplainedDevice | null {
  const { device_id: id, device_status: status } = attributes;
  return typeof id === 'string' && typeof status === 'string' ? { id, status } : null;
}

/** The recorded request in the form that the engine uses. */
export function requestThen(record: Pick<RecordedDecision, 'model' | 'provider' | 'attributes'>): DecisionRequest {
  const { model, provider, attributes } = record;
  const { tags } = attributes;
  return {
    model,
    provider,
    deviceStatus: deviceThen(record)?.status ?? null,
    project: textOf(attributes['project']),
    // Only checked tags are recorded, so the type is known.
    tags: isRecord(tags) ? (tags as Tags) : null,
  };
}

/** The recorded person in the form that the engine uses. */
export function subjectOf({ user_id: id, ...rest }: ExplainedPerson): DecisionSubject {
  return { id, ...rest };
}

/** The reference with which the directory finds the person. */
export function referenceTo({ user_id: id, email }: ExplainedPerson): UserReference {
  return id === null ? { user_email: email ?? undefined } : { user_id: id };
}

/** The person in the directory now, with the differences from the record. */
export function personNow(user: DirectoryUser | undefined, then: ExplainedPerson): PersonNow | null {
  if (!user) return null;
  const { id, email, name, department, role, status, attributes } = user;
  const now = { user_id: id, email, name, department, role, status, attributes };
  // An attribute that was removed since then counts as a difference.
  const keys = new Set([...Object.keys(attributes), ...Object.keys(then.attributes)]);
  const own = [...keys].flatMap(key =>
    isSame(ownValue(attributes, key), ownValue(then.attributes, key)) ? [] : [`attributes.${key}`],
  );
  return { ...now, changed: [...FIELDS.filter(field => now[field] !== then[field]), ...own] };
}

function ownValue(attributes: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
