import type { UsageExtractor } from '@pydantic/genai-prices';
import { isRecord } from './field-reader.js';

/** A count in a provider's usage object that is none; the path names it. */
export class CountDefect {
  constructor(
    readonly path: string,
    readonly found: unknown,
  ) {}
}

const WHOLE_NUMBER = /^\d{1,15}$/;
/** Usage objects nest three levels deep; below that nothing is looked for. */
const DEEPEST = 8;

/** The fields that some readers take counts from. */
export function countFields(extractors: readonly UsageExtractor[]): Set<string> {
  const paths = extractors.flatMap(({ mappings }) => mappings.map(mapping => [mapping.path].flat().at(-1)));
  return new Set(paths.filter(step => typeof step === 'string'));
}

/**
 * The usage object with every count as a number: a gateway that writes counts as text (`"120"`) means them. A count
 * that is below zero or something else altogether is a defect, because the readers pass over what they cannot read,
 * and the rest would be too small a sum.
 */
export function withPlainCounts(
  usage: Readonly<Record<string, unknown>>,
  fields: ReadonlySet<string>,
): Record<string, unknown> | CountDefect {
  return plain(usage, fields, '', 1);
}

function plain(
  part: Readonly<Record<string, unknown>>,
  fields: ReadonlySet<string>,
  path: string,
  depth: number,
): Record<string, unknown> | CountDefect {
  let copy: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(part)) {
    const at = path === '' ? key : `${path}.${key}`;
    const now = isRecord(value) && depth < DEEPEST ? plain(value, fields, at, depth + 1) : countIn(key, value, fields);
    if (now instanceof CountDefect) return now === NO_COUNT ? new CountDefect(at, value) : now;
    if (now !== value) copy = { ...(copy ?? part), [key]: now };
  }
  return copy ?? part;
}

const NO_COUNT = new CountDefect('', undefined);

function countIn(key: string, value: unknown, fields: ReadonlySet<string>): unknown {
  if (!fields.has(key)) return value;
  if (typeof value === 'string') return WHOLE_NUMBER.test(value) ? Number(value) : NO_COUNT;
  return typeof value === 'boolean' || (typeof value === 'number' && value < 0) ? NO_COUNT : value;
}
