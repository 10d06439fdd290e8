import { BadRequestError, NAMED_FAULTS_MAX, newId, type FieldError, type JsonObject } from '#core';
import { readInput } from '#access';
import { emailKey } from '../email-address.js';
import { UpdateUserDto } from '../http/user.dto.js';
import { ownAttributesDefect } from '../own-attributes.js';
import { DEFAULT_USER_ROLE, User } from '../user.entity.js';
import { EmailTakenError, UserTransitionError } from '../user.errors.js';
import type { CsvRecord } from './record-splitter.js';
import type { columnsOf, PersonDraft } from './import-columns.js';

/** How an import handles lines for existing users: `create` refuses them, `upsert` changes the users. */
export const IMPORT_MODES = ['create', 'upsert'] as const;

/** One of {@link IMPORT_MODES}. */
export type ImportMode = (typeof IMPORT_MODES)[number];

/** Outcome of a line. */
export type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'refused';

/** Parsed values of a line. */
export interface PersonLine {
  /** Number of the line in the file, counted from 1. */
  readonly line: number;
  /** The address as written in the line; null if missing. */
  readonly email: string | null;
  /** The normalized address, which identifies the user. */
  readonly key: string;
  /** Total number of characters in the line's values. */
  readonly length: number;
  readonly fields: UpdateUserDto;
  readonly attributes: PersonDraft['attributes'];
  /** Faults of the line. A line with faults has no effect. */
  readonly errors: readonly FieldError[];
}

/** Fields of a user that the line changes. */
export type LineResult =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly user: User }
  | { readonly outcome: 'refused'; readonly errors: readonly FieldError[] };

/** Parses a record. The rules for values are those of `POST /v1/users` and `PUT /v1/users/{id}`. */
export function readLine(columns: ReturnType<typeof columnsOf>, { line, cells, fault }: CsvRecord): PersonLine {
  const draft: PersonDraft = { fields: {}, attributes: new Map() };
  const errors: FieldError[] = [];
  const values = cells.slice(0, cells.findLastIndex(cell => cell !== '') + 1);
  if (fault !== undefined) errors.push({ field: 'line', message: fault });
  else if (values.length > columns.length) {
    errors.push({ field: 'line', message: `has ${values.length} values for ${columns.length} columns` });
  } else if (cells.length < columns.length) {
    errors.push({ field: 'line', message: `has only ${cells.length} values for ${columns.length} columns` });
  }
  if (errors.length === 0) {
    errors.push(...columns.flatMap((read, at) => read(cells[at] ?? '', draft) ?? []));
    errors.push(...defectsOf(draft));
  }
  const omitted = errors.length - NAMED_FAULTS_MAX;
  if (omitted > 0) errors.splice(NAMED_FAULTS_MAX, omitted, { field: 'line', message: `has ${omitted} more faults` });
  const email = typeof draft.fields['email'] === 'string' ? draft.fields['email'] : '';
  // The fields were checked above. If a check failed, they are not used.
  const fields = draft.fields as UpdateUserDto;
  return {
    line,
    email: email === '' ? null : email,
    key: emailKey(email),
    length: cells.reduce((sum, cell) => sum + cell.length, 0),
    fields,
    attributes: draft.attributes,
    errors,
  };
}

/**
 * Applies a line to the user who has the line's address, or to a new user. Changes the entity `found` if the line
 * differs from it.
 */
export function applyLine(
  line: PersonLine,
  found: User | undefined,
  { mode, orgId, now }: { mode: ImportMode; orgId: string; now: Date },
): LineResult {
  if (line.errors.length > 0) return { outcome: 'refused', errors: line.errors };
  const attributes = attributesOf(line, found);
  const defect = ownAttributesDefect(attributes);
  if (defect !== undefined) return { outcome: 'refused', errors: [{ field: 'attributes', message: defect }] };
  if (!found) return createOf(line, attributes, orgId, now);
  if (mode === 'create') return { outcome: 'refused', errors: EmailTakenError.ofField().details ?? [] };
  const { status, ...profile } = line.fields;
  try {
    const moved = status !== undefined && found.changeStatus(status, now);
    const changed = found.change({ ...profile, attributes }, now) || moved;
    return { outcome: changed ? 'updated' : 'unchanged', user: found };
  } catch (error) {
    if (error instanceof UserTransitionError) return { outcome: 'refused', errors: error.details ?? [] };
    throw error;
  }
}

function createOf({ fields }: PersonLine, attributes: JsonObject, orgId: string, now: Date): LineResult {
  const { email, name, department = null, role = DEFAULT_USER_ROLE, status = 'active' } = fields;
  if (email === undefined || name === undefined) {
    return { outcome: 'refused', errors: [{ field: 'name', message: 'is required for a new user' }] };
  }
  if (status === 'suspended') {
    return { outcome: 'refused', errors: [{ field: 'status', message: 'must be one of: active, inactive' }] };
  }
  const user = User.create(orgId, newId(now), { email, name, department, role, attributes }, status, now);
  return { outcome: 'created', user };
}

/** Attributes that have no column in the file stay unchanged. */
function attributesOf({ attributes }: PersonLine, found: User | undefined): JsonObject {
  const merged = new Map(Object.entries(found?.attributes ?? {}));
  for (const [name, value] of attributes) {
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

function defectsOf({ fields, attributes }: PersonDraft): FieldError[] {
  const given = [...attributes].filter(([, value]) => value !== undefined);
  try {
    readInput(UpdateUserDto, { ...fields, attributes: Object.fromEntries(given) }, 'body');
    return [];
  } catch (error) {
    if (error instanceof BadRequestError) return error.details ?? [];
    throw error;
  }
}
