import { sentence } from '../../data/format.ts';
import { unusual } from '../../data/unusual.ts';

interface About {
  type: string;
  details: Record<string, unknown>;
  model: string | null;
}

/** The subject of an incident in one line: the policy, or the unusual usage. */
export function subjectOf({ type, details, model }: About): string {
  const { policy_name, summary, kind, metric, observed, expected_high } = details;
  if (typeof policy_name === 'string') return policy_name;
  if (typeof metric === 'string' && typeof observed === 'number' && typeof expected_high === 'number')
    return unusual({ metric, observed, expected_high }, kind);
  if (typeof summary === 'string') return summary;
  return typeof kind === 'string' ? sentence(kind) : `${sentence(type)}${model === null ? '' : ` with ${model}`}`;
}

/** A text of the details; undefined if it is missing. */
export function detail({ details }: Pick<About, 'details'>, name: string): string | undefined {
  const value = details[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
