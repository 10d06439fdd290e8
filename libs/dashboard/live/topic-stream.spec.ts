import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StreamGroup } from '#access';
import type { LiveTopic } from '#core';
import { TopicStream } from './topic-stream.js';

const TICKETS: LiveTopic = { name: 'tickets', scope: 'itsm:read', position: '' };
const INCIDENTS: LiveTopic = { name: 'incidents', scope: 'incidents:read', position: '', changedSince: '' };
const FOLLOWED = [TICKETS, INCIDENTS].map(topic => ({ topic, isOwn: false }));

describe('a stream of topics', () => {
  let version: number;
  let named: number[];
  let group: StreamGroup<TopicStream>;

  const positions = () => new Map([['tickets', `at ${version}`] as const, ['incidents', String(version)] as const]);

  function openStream(): TopicStream {
    const stream = new TopicStream({ reader: 'r', followed: FOLLOWED }, () => group.wake());
    group.add(stream);
    stream.begin(positions(), undefined);
    return stream;
  }

  beforeEach(() => {
    jest.useFakeTimers();
    version = 0;
    named = [];
    group = new StreamGroup<TopicStream>({
      what: 'topics',
      polls: true,
      async sendNext(ready) {
        for (const stream of ready) {
          await stream.offer(positions(), async (_topic, since) => {
            named.push(since);
            return Array.from({ length: version - since }, (_, at) => `i${since + at + 1}`);
          });
        }
        return false;
      },
    });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('keeps no queue for a blocked reader, and sends one reset when the reader continues', async () => {
    const stream = openStream();
    for (let second = 0; second < 250; second++) {
      version++;
      await jest.advanceTimersByTimeAsync(1_000);
    }
    expect(stream.isReady).toBe(false);
    // The stream buffers at most one batch, however many changes there are.
    const held = stream.readableLength;
    expect(held).toBeLessThan(stream.readableHighWaterMark + 1_000);
    let text = '';
    stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    await jest.advanceTimersByTimeAsync(3_000);
    // There are more changes than an event may list, so a single event stands for all of them.
    expect(text.match(/^event: reset$/gm)).toHaveLength(1);
    expect(text).not.toContain('"i250"');
    expect(new Set(named).size).toBe(named.length);
    stream.destroy();
  });

  it('sends one reset if more changed than can be listed', async () => {
    const stream = openStream();
    let text = '';
    stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    version = 101;
    await jest.advanceTimersByTimeAsync(4_000);
    expect(text.match(/^event: \w+$/gm)).toEqual(['event: ready', 'event: change', 'event: reset']);
    expect(text).toContain('data: {"topics":["incidents"]}');
    expect(named).toEqual([0]);
    stream.destroy();
  });
});
