import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { EventStreams, recheckStreams, type StreamSource } from '#access';
import { LIVE_TOPICS, LiveTopics } from '#core';
import { ChangeFeed, SCHEMA } from '#database';
import { readEventId } from './resume-point.js';
import { TopicPositions, type Positions } from './topic-positions.js';
import { TopicStream, type TopicAudience } from './topic-stream.js';

/** Maximum number of open streams of one organization in one process. A stream keeps one short text per topic. */
const STREAMS_MAX = 200;

// Every new entry of the audit log changes the head of the log.
const AUDIT = `select seq from ${SCHEMA}.audit_heads where org_id = $1`;

/**
 * Notifies clients of changed topics, on any replica. While a client follows an organization, its positions are read
 * from the database once a second, and at once after a change in the change feed. One read serves all readers of the
 * same topics.
 */
@Injectable()
export class TopicStreams extends EventStreams<TopicStream> implements OnModuleInit {
  protected override readonly streamsMax = STREAMS_MAX;

  constructor(
    private readonly topics: LiveTopics,
    private readonly positions: TopicPositions,
    private readonly changes: ChangeFeed,
  ) {
    super();
  }

  onModuleInit(): void {
    this.topics.add({ name: 'audit', scope: 'audit:read', position: AUDIT });
    // The topics of libraries have the same names here and in the change feed.
    for (const topic of LIVE_TOPICS) this.changes.subscribe(topic, orgId => this.wake(orgId));
  }

  /**
   * Opens a stream.
   * @param lastEventId the last id that the client has received; undefined for new changes only
   * @throws RateLimitedError if the reader or the organization has the maximum number of streams
   * @throws UnavailableError if this process is stopping
   */
  async open(orgId: string, audience: TopicAudience, lastEventId: string | undefined): Promise<Readable> {
    const before = lastEventId === undefined ? undefined : (readEventId(lastEventId) ?? null);
    const make = (onDemand: () => void) => new TopicStream(audience, onDemand);
    return this.join(orgId, audience.reader, make, async stream => {
      await this.changes.watch(orgId);
      stream.begin(await this.positions.of(orgId, audience.followed, audience.userId), before);
    });
  }

  protected override sourceOf(orgId: string): StreamSource<TopicStream> {
    return { what: 'topics', polls: true, sendNext: ready => this.sendNext(orgId, ready) };
  }

  private async sendNext(orgId: string, ready: readonly TopicStream[]): Promise<boolean> {
    const reads = new Map<string, Promise<Positions>>();
    const named = new Map<string, Promise<readonly string[]>>();
    const found = await Promise.all(
      ready.map(async ({ audience }) => {
        const { followed, userId } = audience;
        const key = followed.map(({ topic, isOwn }) => (isOwn ? `${topic.name} of ${userId}` : topic.name)).join();
        return once(reads, key, () => this.positions.of(orgId, followed, userId));
      }),
    );
    await recheckStreams(ready);
    await Promise.all(
      ready.map((stream, at) =>
        stream.offer(found[at] ?? new Map(), (topic, since) => {
          const { followed, userId } = stream.audience;
          const user = followed.some(entry => entry.topic === topic && entry.isOwn) ? userId : undefined;
          return once(named, `${topic.name} ${since} ${user}`, () => this.positions.changed(orgId, topic, since, user));
        }),
      ),
    );
    return false;
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? read();
  known.set(key, found);
  return found;
}
