import { Readable } from 'node:stream';

/** Maximum duration of a stream. The credential is checked when the client reconnects. */
const STREAM_MS = 300_000;
/** How long an ended stream waits for a slow client to read the last bytes. */
const END_TIMEOUT_MS = 2_000;
/** Buffer limit in bytes for a slow client. The last batch may exceed it. */
const BUFFER_BYTES = 16_384;
/** Reconnection delay of clients, in milliseconds. */
const RETRY_MS = 1_000;

/** The client did not read the end of its stream in time. */
class StalledReaderError extends Error {}

/** The reader of a stream. */
export interface StreamAudience {
  /** Identifies the reader. The number of streams is limited per reader. */
  readonly reader: string;
  /**
   * Whether the reader still has access. Called before each batch and every half second. If it returns false, the
   * stream ends.
   */
  readonly isStillAllowed?: (() => Promise<boolean>) | undefined;
}

/** The stream of one client: server-sent events with backpressure. */
export abstract class EventStream extends Readable {
  private isBegun = false;
  private wantsMore = false;
  private isOver = false;
  private readonly endsAt = performance.now() + STREAM_MS;

  /** @param onDemand called when the client can receive more */
  constructor(
    private readonly whom: StreamAudience,
    private readonly onDemand: () => void,
  ) {
    super({ highWaterMark: BUFFER_BYTES });
    // After the client has disconnected, nobody else listens for errors. An unhandled error would end the process.
    this.on('error', () => undefined);
  }

  /** See {@link StreamAudience}. */
  get reader(): string {
    return this.whom.reader;
  }

  /** Whether the client can receive more (backpressure). */
  get isReady(): boolean {
    return this.isBegun && this.wantsMore && !this.isOver && !this.destroyed;
  }

  /** Ends the stream if the reader has lost access. */
  async recheck(): Promise<void> {
    const { isStillAllowed } = this.whom;
    if (isStillAllowed && !(await isStillAllowed().catch(() => false))) this.end();
  }

  /** Sends a keep-alive comment, or ends the stream after its maximum duration. */
  beat(): void {
    if (performance.now() > this.endsAt) this.end();
    else if (this.isReady) this.write(': still here\n\n');
  }

  /**
   * Ends the stream. If the client does not read the last bytes soon, disconnects it, so that its slot is free again.
   */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.push(null);
    const cut = setTimeout(
      () => this.destroy(new StalledReaderError('The end was not taken.')),
      END_TIMEOUT_MS,
    ).unref();
    this.once('close', () => clearTimeout(cut));
  }

  override _read(): void {
    this.wantsMore = true;
    if (this.isBegun) this.onDemand();
  }

  /** Sends the first event, `ready`. With its id, the client can resume even before the first change. */
  protected ready(id: number | string, data: object): void {
    this.isBegun = true;
    this.write(`retry: ${RETRY_MS}\n`);
    this.send('ready', id, data);
  }

  /** Sends an event. A client that reconnects resumes after the id of this event. */
  protected send(event: string, id: number | string, data: object): void {
    this.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  private write(text: string): void {
    if (!this.isOver && !this.destroyed) this.wantsMore = this.push(text);
  }
}
