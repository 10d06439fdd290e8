import type { Actor } from '#access';
import { BadRequestError, ForbiddenError, type LiveTopicName, type LiveTopics } from '#core';
import type { FollowedTopic } from './topic-stream.js';

/**
 * The topics that a caller follows.
 * @throws BadRequestError for a topic whose library is not composed
 * @throws ForbiddenError naming the topics that the caller may not read, and the scopes that they need
 */
export function followedTopics(
  live: LiveTopics,
  names: readonly LiveTopicName[],
  { scopes, userId }: Pick<Actor, 'scopes' | 'userId'>,
): FollowedTopic[] {
  const held: ReadonlySet<string> = scopes;
  const followed: FollowedTopic[] = [];
  const refused: string[] = [];
  for (const name of names) {
    const topic = live.get(name);
    if (topic === undefined) {
      const present = live.all.map(known => known.name).join(', ');
      throw BadRequestError.field('topics', `this app does not have ${name}; it has ${present}`);
    }
    const isAllowed = held.has(topic.scope);
    const isOwn = !isAllowed && topic.own !== undefined && userId !== undefined && held.has(topic.own.scope);
    if (isAllowed || isOwn) followed.push({ topic, isOwn });
    else refused.push(`${name} (needs ${topic.scope})`);
  }
  if (refused.length > 0) {
    throw new ForbiddenError(`This credential may not follow ${refused.join(', ')}; leave out what it may not read.`);
  }
  return followed;
}
