import { isRecord } from './field-reader.js';

/** Usage objects have about ten fields. A longer description is not worth its memory. */
const MAX_LENGTH = 600;
const DEEPEST = 4;

/**
 * The names of all fields of a usage object with the types of their values: two objects of the same shape are read in the
 * same way. Undefined for lists, whose items are chosen by their content, and for large objects.
 */
export function shapeOf(usage: Readonly<Record<string, unknown>>): string | undefined {
  return describe(usage, 1);
}

function describe(part: Readonly<Record<string, unknown>>, depth: number): string | undefined {
  let text = '';
  for (const [key, value] of Object.entries(part)) {
    // The length marks the end of the name, whatever it contains.
    text += `${key.length}:${key}`;
    if (Array.isArray(value)) return undefined;
    if (!isRecord(value)) text += value === null ? 'null' : typeof value;
    else {
      const inner = depth < DEEPEST ? describe(value, depth + 1) : undefined;
      if (inner === undefined) return undefined;
      text += `{${inner}}`;
    }
    if (text.length > MAX_LENGTH) return undefined;
  }
  return text;
}
