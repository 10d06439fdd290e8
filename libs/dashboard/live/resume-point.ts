import { createHash } from 'node:crypto';
import { LIVE_TOPICS, type LiveTopicName } from '#core';

/** The position of a reader in each topic, as a mark. A mark changes with each change of the topic. */
export type ResumePoint = ReadonlyMap<LiveTopicName, string>;

const COUNTED = /^\d{1,15}$/;
const POINT = /^[a-z]+=[\w-]{1,15}(?:,[a-z]+=[\w-]{1,15})*$/;
const DIGEST_CHARACTERS = 12;

/** The mark of a position: a whole number stays unchanged, any other text is replaced by its digest. */
export function markOf(position: string): string {
  if (COUNTED.test(position)) return position;
  return `x${createHash('sha256').update(position).digest('base64url').slice(0, DIGEST_CHARACTERS)}`;
}

/** The number that a mark contains; undefined if the mark is a digest. */
export function countOf(mark: string): number | undefined {
  return COUNTED.test(mark) ? Number(mark) : undefined;
}

/** The id of an event. It contains all marks, so that a reader can resume on any replica with the last id. */
export function eventIdOf(point: ResumePoint): string {
  return [...point].map(([topic, mark]) => `${topic}=${mark}`).join(',');
}

/** Parses the id of an event. Undefined if the id is invalid; the reader must then read everything again. */
export function readEventId(id: string): ResumePoint | undefined {
  if (id.length > 1_000 || !POINT.test(id)) return undefined;
  const known = new Map<string, LiveTopicName>(LIVE_TOPICS.map(topic => [topic, topic]));
  const point = new Map<LiveTopicName, string>();
  for (const part of id.split(',')) {
    const [name = '', mark = ''] = part.split('=');
    const topic = known.get(name);
    if (topic === undefined) return undefined;
    point.set(topic, mark);
  }
  return point;
}
