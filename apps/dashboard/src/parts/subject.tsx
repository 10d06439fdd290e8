import { subjectOf } from '../data/subject.ts';
import { useZone } from './time.tsx';

/**
 * The subject of an incident in one line: the policy, or the unusual usage and its day in the organization's time zone.
 */
export function Subject({ of }: { of: Parameters<typeof subjectOf>[0] }) {
  return <bdi>{subjectOf(of, useZone())}</bdi>;
}
