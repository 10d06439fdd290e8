import type { UsageExtractor } from '@pydantic/genai-prices';
import { isRecord } from './field-reader.js';

/** An invalid count in a provider's usage object; the path names it. */
export class CountDefect {
  constructor(
    readonly path: string,
    readonly found: unknown,
  ) {}
}

const WHOLE_NUMBER = /^\d{1,15}$/;
/** Usage objects nest at most three levels deep. Deeper levels are ignored. */
const DEEPEST = 8;

/** The fields from which the extractors read counts. */
export function countFields(extractors: readonly UsageExtractor[]): Set<string> {
  const paths = extractors.flatMap(({ mappings }) => mappings.map(mapping => [mapping.path].flat().at(-1)));
  return new Set(paths.filter(step => typeof step === 'string'));
}

/**
 * Converts every count of a usage object to a finite number of 0 or more. After that, objects of one shape are all read
 * in the same way. Counts as text (`"120"`), which gateways may send, are accepted. Any other value is a fault: the
 * extractors would skip the field, and the total would be too small.
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
  const isCount = typeof value === 'number' ? Number.isFinite(value) && value >= 0 : typeof value !== 'boolean';
  return isCount ? value : NO_COUNT;
}
