import { sentence } from './format.ts';
import { unusual } from './unusual.ts';

interface About {
  type: string;
  details: Record<string, unknown>;
  model: string | null;
}

/** The subject of an incident in one line: the policy, or the unusual usage and its day in the time zone. */
export function subjectOf({ type, details, model }: About, zone: string): string {
  const { policy_name, summary, kind, metric, observed, expected_high, window } = details;
  if (typeof policy_name === 'string') return policy_name;
  if (typeof metric === 'string' && typeof observed === 'number' && typeof expected_high === 'number')
    return unusual({ metric, observed, expected_high }, kind, isWindow(window) ? { window, zone } : undefined);
  if (typeof summary === 'string') return summary;
  return typeof kind === 'string' ? sentence(kind) : `${sentence(type)}${model === null ? '' : ` with ${model}`}`;
}

/** Whether a value is the period of unusual usage. */
export function isWindow(value: unknown): value is { start: string; end: string } {
  if (typeof value !== 'object' || value === null || !('start' in value) || !('end' in value)) return false;
  return typeof value.start === 'string' && typeof value.end === 'string';
}

/** A text of the details; undefined if it is missing. */
export function detail({ details }: Pick<About, 'details'>, name: string): string | undefined {
  const value = details[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
