import { Readable } from 'node:stream';
import type { Incident } from '../incident/incident.entity.js';

/** After this long a stream ends, so that its credential is looked at again when the client comes back. */
const STREAM_MS = 300_000;
/** So long the last bytes of a stream that has ended are kept for a reader who does not take them. */
const FAREWELL_MS = 2_000;
/** Milliseconds after which clients reconnect. */
const RETRY_MS = 1_000;

/** The reader of a stream has not taken the end of it. */
class StalledReaderError extends Error {}

/** For whom a stream is, and for how long. */
export interface StreamAudience {
  /** Who reads: places are counted by it. */
  readonly reader: string;
  /** Where only what is about that user is sent. */
  readonly userId?: string | undefined;
  /** Whether its reader may still read. Asked before each delivery and every half second; the stream ends at the first no. */
  readonly isStillAllowed?: (() => Promise<boolean>) | undefined;
}

/** How an incident is written into a stream. */
export type ShowIncident = (incident: Incident) => object;

/** What one client is sent: changes of incidents as server-sent events, each under its version. */
export class IncidentStream extends Readable {
  /** Everything up to this version has been sent, or is not for this client. */
  position = 0;
  private isBegun = false;
  private wantsMore = false;
  private isOver = false;
  private readonly endsAt = performance.now() + STREAM_MS;

  /** @param onDemand called when the client has taken what there was */
  constructor(
    private readonly show: ShowIncident,
    private readonly audience: StreamAudience,
    private readonly onDemand: () => void,
  ) {
    super();
    // Where nobody listens any more, there is nobody to tell.
    this.on('error', () => undefined);
  }

  /** Who reads it. */
  get reader(): string {
    return this.audience.reader;
  }

  /** Whether something can be sent: a slow client is given no more than it takes. */
  get isReady(): boolean {
    return this.isBegun && this.wantsMore && !this.isOver && !this.destroyed;
  }

  /** Begins behind a version, and tells the client so: it can come back to it before anything has changed. */
  begin(position: number): void {
    this.position = position;
    this.isBegun = true;
    this.send(`retry: ${RETRY_MS}\nid: ${position}\nevent: ready\ndata: ${JSON.stringify({ position })}\n\n`);
  }

  /** Ends where its reader may not read any more. */
  async recheck(): Promise<void> {
    const { isStillAllowed } = this.audience;
    if (isStillAllowed && !(await isStillAllowed().catch(() => false))) this.end();
  }

  /** Sends changes, in the order of their versions, those that were sent before left out. */
  offer(incidents: readonly Incident[]): void {
    const { userId } = this.audience;
    for (const incident of incidents) {
      if (incident.changeVersion <= this.position) continue;
      this.position = incident.changeVersion;
      if (userId !== undefined && incident.userId !== userId) continue;
      this.send(`id: ${this.position}\nevent: incident\ndata: ${JSON.stringify(this.show(incident))}\n\n`);
    }
  }

  /** Keeps the connection, and ends it when it is old. */
  beat(): void {
    if (performance.now() > this.endsAt) this.end();
    else if (this.isReady) this.send(': still here\n\n');
  }

  /** Sends nothing more. Who does not take what was sent before is cut off soon: their place is another's. */
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
