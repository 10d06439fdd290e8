import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '#access';
import { rawResponseOf, takeOver } from './raw-response.js';

/** Events of the caller's connection during the answer. */
interface CallerEvents {
  /** Called if the caller disconnects before the answer is complete. */
  onLeft(): void;
  /** Called when the caller has read all written data (drain). */
  onRoom(): void;
}

/** The answer to the caller. It can be buffered, started, written in chunks, and ended or aborted. */
export class CallerAnswer {
  private readonly raw: ServerResponse;
  private hasBegun = false;
  private held: Uint8Array[] = [];
  private bytes = 0;

  constructor(
    private readonly response: HttpResponse,
    private readonly events: CallerEvents,
  ) {
    this.raw = rawResponseOf(response);
  }

  /** Whether the headers are written. After that, an error response is no longer possible. */
  get begun(): boolean {
    return this.hasBegun;
  }

  /** Number of buffered bytes. */
  get heldBytes(): number {
    return this.bytes;
  }

  /** Registers for the events of the caller's connection. Returns false if the caller has already disconnected. */
  open(): boolean {
    if (this.raw.destroyed || this.raw.socket?.destroyed) return false;
    this.raw.once('close', this.onClose);
    // Errors of a closed connection are ignored, because the event `close` has already reported its end.
    this.raw.on('error', () => undefined);
    return true;
  }

  /** Sets status and headers (names and values alternate). The headers are sent with the first chunk. */
  begin(status: number, headers: readonly string[]): void {
    takeOver(this.response);
    for (let at = 0; at < headers.length; at += 2) this.raw.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
    this.raw.statusCode = status;
    this.hasBegun = true;
  }

  /** Sends the headers alone if there is no chunk yet. */
  flushHead(): void {
    if (!this.raw.headersSent) this.raw.flushHeaders();
  }

  /** Buffers chunks. */
  hold(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.held.push(piece);
      this.bytes += piece.length;
    }
  }

  /**
   * Writes the buffered chunks, then the given chunks. Returns false if the caller reads too slowly; `onRoom` is called
   * when writing can continue.
   */
  write(pieces: readonly Uint8Array[] = []): boolean {
    let hasRoom = true;
    for (const piece of this.takeHeld()) hasRoom = this.raw.write(piece);
    for (const piece of pieces) hasRoom = this.raw.write(piece);
    if (!hasRoom) this.raw.once('drain', () => this.events.onRoom());
    return hasRoom;
  }

  /** Writes the buffered chunks and ends the answer. */
  end(): void {
    const pieces = this.takeHeld();
    const last = pieces.pop();
    for (const piece of pieces) this.raw.write(piece);
    if (last) this.raw.end(last);
    else this.raw.end();
  }

  /** Aborts the connection, after a final chunk if one is given. */
  breakOff(words?: string): void {
    this.raw.off('close', this.onClose);
    if (words === undefined) this.raw.destroy();
    else this.raw.write(words, () => this.raw.destroy());
  }

  private takeHeld(): Uint8Array[] {
    const { held } = this;
    this.held = [];
    this.bytes = 0;
    return held;
  }

  private readonly onClose = (): void => {
    if (!this.raw.writableFinished) this.events.onLeft();
  };
}
