import { isRecord } from './field-reader.js';

/** Maximum length of a shape. Usage objects have about ten fields; caching a longer shape would waste memory. */
const MAX_LENGTH = 600;
const DEEPEST = 4;

/**
 * The shape of a usage object: the names of all its fields, with the types of their values. One extractor reads all
 * objects of one shape. Undefined for lists, whose items are chosen by their content, and for large objects.
 */
export function shapeOf(usage: Readonly<Record<string, unknown>>): string | undefined {
  return describe(usage, 1);
}

function describe(part: Readonly<Record<string, unknown>>, depth: number): string | undefined {
  let text = '';
  for (const [key, value] of Object.entries(part)) {
    // The length shows where the name ends, even if the name contains the separator.
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
