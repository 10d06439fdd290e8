import { randomBytes } from 'node:crypto';

/**
 * A serial number in lower-case hexadecimal: 16 random bytes, positive and always of the same length, because the first
 * two bits are 0 and 1 (RFC 5280, section 4.1.2.2, wants it positive and at most 20 bytes long).
 */
export function newSerialNumber(random: Buffer = randomBytes(16)): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}
