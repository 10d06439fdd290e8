import { EventStream, type StreamAudience } from '#access';
import type { LiveTopic, LiveTopicName } from '#core';
import { countOf, eventIdOf, markOf, type ResumePoint } from './resume-point.js';

/** Maximum number of changed records in one event. If there are more, readers read the topic again. */
export const NAMED_MAX = 100;

/** A topic, and whether the reader sees only what is about themselves. */
export interface FollowedTopic {
  readonly topic: LiveTopic;
  readonly isOwn: boolean;
}

/** The reader of a stream, and what they follow. */
export interface TopicAudience extends StreamAudience {
  readonly followed: readonly FollowedTopic[];
  /** The user behind the credential; set if a topic is followed for their own records only. */
  readonly userId?: string | undefined;
}

/** Names the records of a topic that changed since a version: at most one more than {@link NAMED_MAX}. */
export type NameChanged = (topic: LiveTopic, since: number) => Promise<readonly string[]>;

/**
 * The stream of one client. It keeps one mark per topic and no queue: a client that reads slowly gets one event for all
 * that changed meanwhile.
 */
export class TopicStream extends EventStream {
  private readonly marks = new Map<LiveTopicName, string>();

  /** @param onDemand called when the client can take more */
  constructor(
    readonly audience: TopicAudience,
    onDemand: () => void,
  ) {
    super(audience, onDemand);
  }

  /**
   * Starts at the current positions, or at the client's previous ones. A topic whose previous position is unknown, or
   * in the future as after a restore, starts at the current position and is named by `reset`.
   * @param before undefined for new changes only; `null` if the client's last id is invalid
   */
  begin(positions: ReadonlyMap<LiveTopicName, string>, before: ResumePoint | null | undefined): void {
    const lost: LiveTopicName[] = [];
    for (const [topic, position] of positions) {
      const now = markOf(position);
      const former = before === undefined ? now : before?.get(topic);
      if (former === undefined || isBehind(now, former)) lost.push(topic);
      this.marks.set(topic, former === undefined || isBehind(now, former) ? now : former);
    }
    this.ready(eventIdOf(this.marks), { topics: [...this.marks.keys()] });
    if (lost.length > 0) this.send('reset', eventIdOf(this.marks), { topics: lost });
  }

  /** Sends one event per topic whose position differs from the client's. */
  async offer(positions: ReadonlyMap<LiveTopicName, string>, name: NameChanged): Promise<void> {
    for (const { topic } of this.audience.followed) {
      const position = positions.get(topic.name);
      const before = this.marks.get(topic.name);
      if (position === undefined || before === undefined || markOf(position) === before) continue;
      const since = topic.changedSince === undefined ? undefined : countOf(before);
      const ids = since === undefined ? undefined : await name(topic, since);
      this.marks.set(topic.name, markOf(position));
      const id = eventIdOf(this.marks);
      if (ids === undefined) this.send('change', id, { topic: topic.name });
      else if (ids.length > NAMED_MAX) this.send('reset', id, { topics: [topic.name] });
      else if (ids.length > 0) this.send('change', id, { topic: topic.name, ids });
    }
  }
}

function isBehind(now: string, former: string): boolean {
  const [present, past] = [countOf(now), countOf(former)];
  return present !== undefined && past !== undefined && present < past;
}
