import { Logger } from '@nestjs/common';
import { messageOf } from '#core';
import type { EventStream } from './event-stream.js';

/** Interval at which the credentials of readers are checked, in milliseconds. */
const RECHECK_MS = 500;
const RECHECKS_PER_BEAT = 30;
const RETRY_MS = 1_000;
/** Pause between two reads, to batch frequent changes. */
const PAUSE_MS = 25;

/** The source of the events of a group. */
export interface StreamSource<Stream extends EventStream> {
  /** Name of the streams in the log, such as `incidents`. */
  readonly what: string;
  /** Sends new events to streams that can receive more. Returns whether there are more events to send. */
  sendNext(ready: readonly Stream[]): Promise<boolean>;
  /** Whether to poll for changes once a second. Default: read only after a call of `wake()`. */
  readonly polls?: boolean;
}

/** The streams of one organization in this process. One read of new events serves all streams. */
export class StreamGroup<Stream extends EventStream> {
  private readonly logger = new Logger('Governance');
  private readonly streams = new Set<Stream>();
  private looking: NodeJS.Timeout | undefined;
  private looks = 0;
  private isWanted = false;
  private isPumping = false;

  constructor(private readonly source: StreamSource<Stream>) {}

  get size(): number {
    return this.streams.size;
  }

  /** Number of streams of one reader. */
  of(reader: string): number {
    let count = 0;
    for (const stream of this.streams) if (stream.reader === reader) count++;
    return count;
  }

  add(stream: Stream): void {
    this.streams.add(stream);
    this.looking ??= setInterval(() => void this.look(), RECHECK_MS).unref();
    stream.once('close', () => this.remove(stream));
  }

  remove(stream: Stream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  /** Sends new events to streams that can receive them, in the background. */
  wake(): void {
    this.isWanted = true;
    if (!this.isPumping) void this.pump();
  }

  /** Ends all streams, and waits until their clients have read the last bytes. */
  async end(): Promise<void> {
    const taken = [...this.streams].map(stream => new Promise<void>(done => stream.once('close', () => done())));
    this.each(stream => stream.end());
    await Promise.all(taken);
  }

  private each(act: (stream: Stream) => void): void {
    for (const stream of [...this.streams]) act(stream);
  }

  private async look(): Promise<void> {
    const look = ++this.looks;
    await recheckStreams([...this.streams]);
    if (look % RECHECKS_PER_BEAT === 0) this.each(stream => stream.beat());
    if (this.source.polls && look % 2 === 0) this.wake();
  }

  private async pump(): Promise<void> {
    this.isPumping = true;
    try {
      while (this.isWanted) {
        this.isWanted = false;
        while (await this.sendNext());
        await new Promise(done => setTimeout(done, PAUSE_MS).unref());
      }
    } catch (error) {
      const { what } = this.source;
      this.logger.warn(`Changes of ${what} cannot be read for streams, and are tried again: ${messageOf(error)}`);
      setTimeout(() => this.wake(), RETRY_MS).unref();
    } finally {
      this.isPumping = false;
    }
  }

  private async sendNext(): Promise<boolean> {
    const ready = [...this.streams].filter(stream => stream.isReady);
    return ready.length > 0 && (await this.source.sendNext(ready));
  }
}

/** Ends streams whose readers have lost access. */
export async function recheckStreams(streams: readonly EventStream[]): Promise<void> {
  await Promise.all(streams.map(stream => stream.recheck()));
}
