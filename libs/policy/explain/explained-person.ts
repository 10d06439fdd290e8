import { canonicalJson, type DirectoryUser, type Tags, type UserReference } from '#core';
import type { DecisionRequest, DecisionSubject } from '../decide/index.js';
import type { RecordedDecision } from '../records/decision-log.js';
import type { ExplainedDevice, ExplainedPerson, PersonNow } from './explanation.js';

const FIELDS = ['user_id', 'email', 'name', 'department', 'role', 'status'] as const;

/** Who asked, as the record has them. */
export function personThen({ user_id, user_email, attributes }: RecordedDecision): ExplainedPerson {
  const { attributes: own } = attributes;
  return {
    // Beside the id as it was asked for, where that had capital letters.
    user_id: textOf(attributes['user_id']) ?? user_id,
    email: user_email,
    name: textOf(attributes['name']),
    department: textOf(attributes['department']),
    role: textOf(attributes['role']),
    status: textOf(attributes['status']),
    attributes: isRecord(own) ? own : {},
  };
}

/** The device that they named, as the record has it. */
export function deviceThen({ attributes }: Pick<RecordedDecision, 'attributes'>): ExplainedDevice | null {
  const { device_id: id, device_status: status } = attributes;
  return typeof id === 'string' && typeof status === 'string' ? { id, status } : null;
}

/** What was asked for, as the record has it, for the engine. */
export function requestThen(record: Pick<RecordedDecision, 'model' | 'provider' | 'attributes'>): DecisionRequest {
  const { model, provider, attributes } = record;
  const { tags } = attributes;
  return {
    model,
    provider,
    deviceStatus: deviceThen(record)?.status ?? null,
    project: textOf(attributes['project']),
    // The recorder wrote tags that were checked.
    tags: isRecord(tags) ? (tags as Tags) : null,
  };
}

/** The same for the engine. */
export function subjectOf({ user_id: id, ...rest }: ExplainedPerson): DecisionSubject {
  return { id, ...rest };
}

/** How to look them up again. */
export function referenceTo({ user_id: id, email }: ExplainedPerson): UserReference {
  return id === null ? { user_email: email ?? undefined } : { user_id: id };
}

/** The person as the directory knows them now, beside then. */
export function personNow(user: DirectoryUser | undefined, then: ExplainedPerson): PersonNow | null {
  if (!user) return null;
  const { id, email, name, department, role, status, attributes } = user;
  const now = { user_id: id, email, name, department, role, status, attributes };
  // What is not there any more differs as well.
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
