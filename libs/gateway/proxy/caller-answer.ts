import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '#access';
import { rawResponseOf, takeOver } from './raw-response.js';

/** What the caller does while it is answered. */
interface CallerEvents {
  /** The caller went before its answer was complete. */
  onLeft(): void;
  /** The caller has caught up with what was written. */
  onRoom(): void;
}

/** The answer as the caller gets it: held back, begun, written piece by piece, and ended or broken off. */
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

  /** Whether the head is written: errors can no longer be answered. */
  get begun(): boolean {
    return this.hasBegun;
  }

  /** How much is held back. */
  get heldBytes(): number {
    return this.bytes;
  }

  /** Waits for what the caller does. False where it has gone already. */
  open(): boolean {
    if (this.raw.destroyed || this.raw.socket?.destroyed) return false;
    this.raw.once('close', this.onClose);
    // Ignores errors of a closed connection; `close` has reported its end.
    this.raw.on('error', () => undefined);
    return true;
  }

  /** Writes the head, with names and values of headers in turn. It goes out with the first piece. */
  begin(status: number, headers: readonly string[]): void {
    takeOver(this.response);
    for (let at = 0; at < headers.length; at += 2) this.raw.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
    this.raw.statusCode = status;
    this.hasBegun = true;
  }

  /** Sends the head alone, where no piece came yet. */
  flushHead(): void {
    if (!this.raw.headersSent) this.raw.flushHeaders();
  }

  /** Keeps pieces back. */
  hold(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.held.push(piece);
      this.bytes += piece.length;
    }
  }

  /** Writes what is held, then these pieces. False where the caller reads too slowly: `onRoom` tells when it has caught up. */
  write(pieces: readonly Uint8Array[] = []): boolean {
    let hasRoom = true;
    for (const piece of this.takeHeld()) hasRoom = this.raw.write(piece);
    for (const piece of pieces) hasRoom = this.raw.write(piece);
    if (!hasRoom) this.raw.once('drain', () => this.events.onRoom());
    return hasRoom;
  }

  /** Writes what is held, and the end. */
  end(): void {
    const pieces = this.takeHeld();
    const last = pieces.pop();
    for (const piece of pieces) this.raw.write(piece);
    if (last) this.raw.end(last);
    else this.raw.end();
  }

  /** Breaks the connection, after these last words if there are any. */
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
