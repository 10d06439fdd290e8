import type { BeforeApplicationShutdown } from '@nestjs/common';
import { RateLimitedError, UnavailableError, within } from '#core';
import type { EventStream } from './event-stream.js';
import { StreamGroup, type StreamSource } from './stream-group.js';

/** Maximum number of open streams per reader, so that one reader cannot use all streams of an organization. */
const READER_STREAMS_MAX = 5;

const RETRY_AFTER_SECONDS = 10;
const LEAVE_MS = 1_000;
const LAST_BYTES_MS = 20;

/** The streams of all organizations in this process. Limits their number per reader and organization. */
export abstract class EventStreams<Stream extends EventStream> implements BeforeApplicationShutdown {
  private readonly groups = new Map<string, StreamGroup<Stream>>();
  private isClosed = false;

  /** Maximum number of open streams of one organization in one process. */
  protected abstract readonly streamsMax: number;

  /** The source of the events of an organization. */
  protected abstract sourceOf(orgId: string): StreamSource<Stream>;

  /**
   * Ends all streams before the HTTP server closes, because open connections would delay it. Clients reconnect to another
   * replica.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    const open = [...this.groups.values()].filter(({ size }) => size > 0);
    if (open.length === 0) return;
    await within(LEAVE_MS, Promise.all(open.map(streams => streams.end()))).catch(() => undefined);
    // Node writes the last bytes in later turns of the event loop.
    await new Promise(done => setTimeout(done, LAST_BYTES_MS));
  }

  /** Sends new events to the streams of an organization, in the background. */
  protected wake(orgId: string): void {
    this.groups.get(orgId)?.wake();
  }

  /**
   * Adds a stream and starts it.
   * @throws RateLimitedError if the reader or the organization has reached its limit
   * @throws UnavailableError if this process is stopping
   */
  protected async join(
    orgId: string,
    reader: string,
    make: (onDemand: () => void) => Stream,
    begin: (stream: Stream) => Promise<void>,
  ): Promise<Stream> {
    if (this.isClosed) throw new UnavailableError('This process is stopping; come back in a moment.');
    const group = this.groupOf(orgId);
    if (group.of(reader) >= READER_STREAMS_MAX) throw tooMany('You have', READER_STREAMS_MAX);
    if (group.size >= this.streamsMax) throw tooMany('Your organization has', this.streamsMax);
    const stream = make(() => group.wake());
    group.add(stream);
    try {
      await begin(stream);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    group.wake();
    if (this.isClosed) stream.end();
    return stream;
  }

  private groupOf(orgId: string): StreamGroup<Stream> {
    const found = this.groups.get(orgId);
    if (found) return found;
    const group = new StreamGroup(this.sourceOf(orgId));
    this.groups.set(orgId, group);
    return group;
  }
}

function tooMany(who: string, most: number): RateLimitedError {
  return new RateLimitedError(`${who} ${most} streams open already; close one.`, RETRY_AFTER_SECONDS);
}
