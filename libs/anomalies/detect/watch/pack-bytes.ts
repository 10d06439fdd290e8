/** Values below this number take one byte. Each further byte extends the range by this factor. */
const BASE = 128;
/** Number of bytes of the largest safe integer. */
const LONGEST = 8;

/** Encodes non-negative whole numbers and texts; small numbers take few bytes. */
export class PackWriter {
  private buffer = Buffer.allocUnsafe(4_096);
  private length = 0;

  /** @throws RangeError if the number is negative or not a safe integer */
  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot be packed`);
    this.reserve(LONGEST);
    let rest = value;
    while (rest >= BASE) {
      this.buffer[this.length++] = (rest % BASE) + BASE;
      rest = Math.floor(rest / BASE);
    }
    this.buffer[this.length++] = rest;
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.number(size);
    this.reserve(size);
    this.length += this.buffer.write(value, this.length);
  }

  /** All encoded bytes. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + more));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** Decodes the bytes of a {@link PackWriter}, in the same order. */
export class PackReader {
  private readonly buffer: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @throws RangeError at the end of the bytes */
  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= BASE) {
      const byte = this.buffer[this.at++];
      if (byte === undefined) throw new RangeError('packed bytes end too early');
      if (byte < BASE) return value + byte * factor;
      value += (byte - BASE) * factor;
    }
  }

  text(): string {
    const size = this.number();
    this.at += size;
    return this.buffer.toString('utf8', this.at - size, this.at);
  }
}
