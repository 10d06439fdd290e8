import { BadRequestError, isStorableText, newId, type SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import { emailDefect, emailKey } from './email-address.js';
import { DEFAULT_USER_ROLE } from './user.entity.js';
import { USERS_BY_EMAIL } from './users-by-email.sql.js';

/** A person for whom an import needs a user. */
export interface PersonToEnsure {
  email: string;
  /** Default: the part of the address before the @. */
  name?: string;
  department?: string | null;
  /** Role of the user. Default: `member`. */
  role?: string;
}

/** Number of people per transaction. */
export const ENSURE_BATCH_SIZE = 1_000;

const TEXT_LIMITS = [
  ['name', 255],
  ['department', 255],
  ['role', 64],
] as const;

const IDS_OF = `select u.id, u.email_key ${USERS_BY_EMAIL}`;

const INSERT = `
insert into ${SCHEMA}.users
  (org_id, id, email, email_key, name, department, role, created_at, updated_at, change_version)
select $1, p.id, p.email, p.email_key, p.name, p.department, p.role, $2, $2, $3
from unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
  as p (id, email, email_key, name, department, role)
on conflict (org_id, email_key) do nothing
returning id`;

/** Returns the first value that a user cannot have, with its fault. Undefined if all values are valid. */
export function personDefect(
  person: PersonToEnsure,
): { field: 'email' | 'name' | 'department' | 'role'; message: string } | undefined {
  const email = emailDefect(person.email);
  if (email) return { field: 'email', message: email };
  for (const [field, max] of TEXT_LIMITS) {
    const text = person[field] ?? undefined;
    if (text === undefined || (text !== '' && text.length <= max && isStorableText(text))) continue;
    return { field, message: `must have 1 to ${max} characters, without NUL or half of a surrogate pair` };
  }
  return undefined;
}

/**
 * Splits a list into batches.
 * @throws BadRequestError naming the first value that a user cannot have
 */
export function inBatches(people: readonly PersonToEnsure[], size: number): (readonly PersonToEnsure[])[] {
  people.forEach((person, index) => {
    const defect = personDefect(person);
    if (defect) throw BadRequestError.field(`people[${index}].${defect.field}`, defect.message);
  });
  return Array.from({ length: Math.ceil(people.length / size) }, (_, at) => people.slice(at * size, (at + 1) * size));
}

/**
 * Creates the missing users of one batch. Calls `mark`, which increments the topic's version, once if a user is missing
 * and otherwise not at all. Returns the ids in the order of the batch, and the ids of the new users.
 */
export async function ensureBatch(
  tx: SqlTransaction,
  orgId: string,
  batch: readonly PersonToEnsure[],
  mark: () => Promise<number>,
  now: Date,
): Promise<{ ids: string[]; created: string[] }> {
  const people = new Map(batch.map(person => [emailKey(person.email), person]));
  const ids = await idsOf(tx, orgId, [...people.keys()]);
  const missing = [...people].filter(([key]) => !ids.has(key));
  if (missing.length === 0) return { ids: inOrder(batch, ids), created: [] };
  const created = await tx.query<{ id: string }>(INSERT, [
    orgId,
    now.toISOString(),
    // The call of `mark` finishes before the statement runs, so the version is incremented first, as in all changes.
    await mark(),
    missing.map(() => newId(now)),
    missing.map(([, person]) => person.email.trim()),
    missing.map(([key]) => key),
    missing.map(([key, person]) => person.name ?? key.slice(0, key.lastIndexOf('@'))),
    missing.map(([, person]) => person.department ?? null),
    missing.map(([, person]) => person.role ?? DEFAULT_USER_ROLE),
  ]);
  // A concurrent transaction may have created some of the users meanwhile.
  const late = await idsOf(
    tx,
    orgId,
    missing.map(([key]) => key),
  );
  return { ids: inOrder(batch, new Map([...ids, ...late])), created: created.map(row => row.id) };
}

async function idsOf(tx: SqlTransaction, orgId: string, keys: string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; email_key: string }>(IDS_OF, [orgId, keys]);
  return new Map(rows.map(row => [row.email_key, row.id]));
}

function inOrder(batch: readonly PersonToEnsure[], ids: ReadonlyMap<string, string>): string[] {
  return batch.map(({ email }) => {
    const id = ids.get(emailKey(email));
    if (id === undefined) throw new Error('A user who was just created cannot be found.');
    return id;
  });
}
