import { Readable } from 'node:stream';
import type { Incident } from '../incident/incident.entity.js';

/** Maximum duration of a stream. The credential is checked again when the client reconnects. */
const STREAM_MS = 300_000;
/** How long an ended stream waits for a slow client to read the last bytes. */
const FAREWELL_MS = 2_000;
/** Milliseconds after which clients reconnect. */
const RETRY_MS = 1_000;

/** The client did not read the end of its stream. */
class StalledReaderError extends Error {}

/** The reader of a stream. */
export interface StreamAudience {
  /** Identifies the reader. The number of streams is limited per reader. */
  readonly reader: string;
  /** If set, only incidents about this user are sent. */
  readonly userId?: string | undefined;
  /** Whether the reader may still read. Called before each batch and every half second; if false, the stream ends. */
  readonly isStillAllowed?: (() => Promise<boolean>) | undefined;
}

/** Presents an incident in a stream. */
export type ShowIncident = (incident: Incident) => object;

/** The stream of one client: changes of incidents as server-sent events. The id of an event is its version. */
export class IncidentStream extends Readable {
  /** All changes up to this version were sent, or are not for this client. */
  position = 0;
  private isBegun = false;
  private wantsMore = false;
  private isOver = false;
  private readonly endsAt = performance.now() + STREAM_MS;

  /** @param onDemand called when the client can take more */
  constructor(
    private readonly show: ShowIncident,
    private readonly audience: StreamAudience,
    private readonly onDemand: () => void,
  ) {
    super();
    // An error after the client has left has no other handler.
    this.on('error', () => undefined);
  }

  /** See {@link StreamAudience}. */
  get reader(): string {
    return this.audience.reader;
  }

  /** Whether the client can take more (backpressure). */
  get isReady(): boolean {
    return this.isBegun && this.wantsMore && !this.isOver && !this.destroyed;
  }

  /** Begins after a version, and sends it, so that the client can resume there even before the first change. */
  begin(position: number): void {
    this.position = position;
    this.isBegun = true;
    this.send(`retry: ${RETRY_MS}\nid: ${position}\nevent: ready\ndata: ${JSON.stringify({ position })}\n\n`);
  }

  /** Ends the stream if the reader may no longer read. */
  async recheck(): Promise<void> {
    const { isStillAllowed } = this.audience;
    if (isStillAllowed && !(await isStillAllowed().catch(() => false))) this.end();
  }

  /** Sends changes in the order of their versions. Skips those that were sent before. */
  offer(incidents: readonly Incident[]): void {
    const { userId } = this.audience;
    for (const incident of incidents) {
      if (incident.changeVersion <= this.position) continue;
      this.position = incident.changeVersion;
      if (userId !== undefined && incident.userId !== userId) continue;
      this.send(`id: ${this.position}\nevent: incident\ndata: ${JSON.stringify(this.show(incident))}\n\n`);
    }
  }

  /** Sends a keep-alive comment, or ends the stream after its maximum duration. */
  beat(): void {
    if (performance.now() > this.endsAt) this.end();
    else if (this.isReady) this.send(': still here\n\n');
  }

  /** Ends the stream. A client that does not read the last bytes is disconnected soon, to free its place. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.push(null);
    const cut = setTimeout(() => this.destroy(new StalledReaderError('The end was not taken.')), FAREWELL_MS).unref();
    this.once('close', () => clearTimeout(cut));
  }

  override _read(): void {
    this.wantsMore = true;
    if (this.isBegun) this.onDemand();
  }

  private send(text: string): void {
    if (!this.isOver && !this.destroyed) this.wantsMore = this.push(text);
  }
}
