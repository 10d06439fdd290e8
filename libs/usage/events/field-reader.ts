import { isStorableText, isUuid } from '#core';

/** An invalid field and how to correct it. */
export interface Refusal {
  field: string;
  message: string;
}

/** Bounds of a whole number. */
export interface CountRule {
  min: number;
  max: number;
  /** Value of a missing or null field. Without a default, the field is required. */
  otherwise?: number;
}

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/**
 * Reads the fields of one object. The checks are hand-written for speed, because they run tens of thousands of times a
 * second. The reader never throws. It keeps the first refusal, and returns harmless values for the rest of the object.
 * Null counts as a missing field.
 */
export class FieldReader {
  refusal: Refusal | undefined;

  constructor(private readonly raw: Readonly<Record<string, unknown>>) {}

  /** Keeps the first refusal and ignores later ones. */
  refuse(field: string, message: string): void {
    this.refusal ??= { field, message };
  }

  has(field: string): boolean {
    const value = this.raw[field];
    return value !== undefined && value !== null;
  }

  value(field: string): unknown {
    return this.raw[field];
  }

  /** Refuses the first unknown field; the refusal contains its name. */
  allowOnly(known: ReadonlySet<string>): void {
    for (const field of Object.keys(this.raw)) {
      if (!known.has(field)) {
        const name = field.slice(0, 100).toWellFormed().replaceAll('\0', '');
        return this.refuse(name || 'event', 'is not a known field; remove it, or put it into metadata');
      }
    }
  }

  /** A required text of 1 to `max` characters that is not blank. */
  text(field: string, max: number): string {
    const value = this.raw[field];
    if (typeof value === 'string' && value.length <= max && value.trim() !== '' && isStorableText(value)) return value;
    this.refuse(field, textProblem(value, max));
    return '';
  }

  /** A UUID in lower case, or null if the field is missing. */
  uuid(field: string): string | null {
    if (!this.has(field)) return null;
    const value = this.raw[field];
    if (isUuid(value)) return value.toLowerCase();
    this.refuse(field, 'must be a UUID');
    return null;
  }

  /** An e-mail address in lower case, or null if the field is missing. */
  email(field: string): string | null {
    if (!this.has(field)) return null;
    const value = this.raw[field];
    if (typeof value === 'string' && isEmail(value)) return value.toLowerCase();
    this.refuse(field, 'must be an e-mail address');
    return null;
  }

  /** A whole number within bounds. */
  count(field: string, rule: CountRule): number {
    const value = this.raw[field];
    if (typeof value === 'number' && Number.isInteger(value) && value >= rule.min && value <= rule.max) return value;
    if (!this.has(field) && rule.otherwise !== undefined) return rule.otherwise;
    const missing = this.has(field) ? 'must be' : 'is missing; it must be';
    this.refuse(field, `${missing} a whole number from ${rule.min} to ${rule.max}`);
    return rule.min;
  }
}

/** Whether a text is an e-mail address that can be stored. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text) && isStorableText(text);
}

/** Whether a value is an object but not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textProblem(value: unknown, max: number): string {
  if (value === undefined || value === null) return `is missing; it must be a text of 1 to ${max} characters`;
  if (typeof value !== 'string') return 'must be a text';
  if (value.trim() === '') return 'must not be empty';
  return value.length > max
    ? `must have at most ${max} characters`
    : 'must not contain NUL or half of a surrogate pair';
}
