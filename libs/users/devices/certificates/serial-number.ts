import { randomBytes } from 'node:crypto';

/**
 * A serial number in lower-case hexadecimal, of 16 random bytes. RFC 5280 (section 4.1.2.2) requires a positive number
 * of at most 20 bytes. The first two bits are 0 and 1, so the number is positive and always has the same length.
 */
export function newSerialNumber(random: Buffer = randomBytes(16)): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}
