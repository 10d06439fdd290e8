import { EventStream, type StreamAudience } from '#access';
import type { LiveTopic, LiveTopicName } from '#core';
import { countOf, eventIdOf, markOf, type ResumePoint } from './resume-point.js';

/** Maximum number of changed records that one event names. If there are more, readers read the whole topic again. */
export const NAMED_MAX = 100;

/** A topic, and whether the reader sees only the user's own records. */
export interface FollowedTopic {
  readonly topic: LiveTopic;
  readonly isOwn: boolean;
}

/** The reader of a stream, and the followed topics. */
export interface TopicAudience extends StreamAudience {
  readonly followed: readonly FollowedTopic[];
  /** The user of the credential. Set if a topic is followed for the user's own records only. */
  readonly userId?: string | undefined;
}

/** Returns the ids of records of a topic that changed since a version: at most one more than {@link NAMED_MAX}. */
export type NameChanged = (topic: LiveTopic, since: number) => Promise<readonly string[]>;

/**
 * The stream of one client. It stores one mark per topic, and has no queue. A client that reads slowly gets one event
 * for all changes in the meantime.
 */
export class TopicStream extends EventStream {
  private readonly marks = new Map<LiveTopicName, string>();

  /** @param onDemand called when the client can receive more */
  constructor(
    readonly audience: TopicAudience,
    onDemand: () => void,
  ) {
    super(audience, onDemand);
  }

  /**
   * Starts at the current positions, or at the client's previous positions. A topic starts at the current position if
   * its previous position is unknown, or is higher than the current one, for example after a restore. The event `reset`
   * names such topics.
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
