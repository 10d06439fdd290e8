const [LF, CR] = [0x0a, 0x0d];

/** A part of an event stream: its bytes, and their relation to an event. */
export interface SsePiece {
  readonly bytes: Uint8Array;
  /**
   * `event`: a complete event including its blank line; it may also be a comment, or empty. `part` and `last`: parts of
   * an event that is too large to hold. `rest`: the LF of a CR LF whose CR has already ended the previous event.
   */
  readonly kind: 'event' | 'part' | 'last' | 'rest';
}

/** Maximum size in bytes of an event that is held until it is complete. */
const LARGEST_EVENT = 65_536;

/**
 * Splits a stream of server-sent events after each event. It works on bytes without decoding them, so a chunk may end
 * within a character. Lines may end with LF, CR LF or CR, as the HTML specification allows. The result does not depend
 * on how the stream is divided into chunks, except for the parts of a large event.
 */
export class SseBlocks {
  private held: Uint8Array[] = [];
  private heldBytes = 0;
  /** Whether the event is too large to hold. Its parts are then forwarded as they arrive. */
  private isLarge = false;
  private lineIsEmpty = true;
  private afterCr = false;
  private afterEvent = false;

  push(bytes: Uint8Array): SsePiece[] {
    const pieces: SsePiece[] = [];
    // If the bytes contain no CR, the native search for LF finds the end of a line. It is faster than the loop.
    const hasCr = bytes.includes(CR);
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LF && this.afterCr) {
        this.afterCr = false;
        if (!this.afterEvent) continue;
        from = at + 1;
        pieces.push({ bytes: bytes.subarray(at, from), kind: 'rest' });
        continue;
      }
      this.afterEvent = false;
      this.afterCr = byte === CR;
      if (byte !== LF && byte !== CR) {
        this.lineIsEmpty = false;
        if (!hasCr) at = beforeNext(LF, bytes, at);
        continue;
      }
      if (this.lineIsEmpty) {
        pieces.push(...this.cut(bytes.subarray(from, at + 1)));
        from = at + 1;
        this.afterEvent = true;
      }
      this.lineIsEmpty = true;
    }
    if (from < bytes.length) pieces.push(...this.hold(bytes.subarray(from)));
    return pieces;
  }

  /** Returns the held bytes at the end of the stream: an event without its blank line. */
  flush(): Uint8Array {
    const rest = joined(this.held);
    this.held = [];
    this.heldBytes = 0;
    return rest;
  }

  private cut(end: Uint8Array): SsePiece[] {
    const whole = this.heldBytes + end.length <= LARGEST_EVENT && !this.isLarge;
    const pieces: SsePiece[] = whole
      ? [{ bytes: joined([...this.held, end]), kind: 'event' }]
      : [...this.parts(), { bytes: end, kind: 'last' }];
    this.held = [];
    this.heldBytes = 0;
    this.isLarge = false;
    return pieces;
  }

  private hold(part: Uint8Array): SsePiece[] {
    this.held.push(part);
    this.heldBytes += part.length;
    if (this.heldBytes <= LARGEST_EVENT && !this.isLarge) return [];
    this.isLarge = true;
    return this.parts();
  }

  private parts(): SsePiece[] {
    const parts = this.held.map((bytes): SsePiece => ({ bytes, kind: 'part' }));
    this.held = [];
    this.heldBytes = 0;
    return parts;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return first && parts.length === 1 ? first : Buffer.concat(parts);
}

/** The position just before the next occurrence of a byte. Without one, the last position. */
function beforeNext(byte: number, bytes: Uint8Array, at: number): number {
  const next = bytes.indexOf(byte, at + 1);
  return (next === -1 ? bytes.length : next) - 1;
}
