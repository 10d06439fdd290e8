/** One value of DER (ITU-T X.690): tag, length, content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

/** SEQUENCE. */
export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

/** An INTEGER that is not negative, from hexadecimal digits. */
export function integer(hex: string): Buffer {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return der(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/** Time as RFC 5280 (section 5.1.2.4) writes it: UTCTime through 2049, GeneralizedTime from 2050 on; whole seconds. */
export function time(at: Date): Buffer {
  const text = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return at.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(text.slice(2), 'latin1'))
    : der(0x18, Buffer.from(text, 'latin1'));
}

/** Whether the bytes are exactly one value of DER, by its outer tag and length. */
export function isWholeSequence(bytes: Uint8Array): boolean {
  const [tag = 0, first = 0] = bytes;
  if (tag !== 0x30) return false;
  if (first < 0x80) return bytes.length === 2 + first;
  const size = first & 0x7f;
  if (size < 1 || size > 3 || bytes.length < 2 + size) return false;
  return bytes.length === 2 + size + Buffer.from(bytes).readUIntBE(2, size);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}
