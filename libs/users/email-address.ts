import { isEmail } from 'class-validator';
import { isStorableText } from '#core';

/** Maximum length of an e-mail address: 64 characters before the @, 255 after it (RFC 5321, section 4.5.3.1). */
export const EMAIL_MAX_LENGTH = 320;

/** Invisible characters, which make different addresses look the same. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Returns the fault of an e-mail address, or undefined. Surrounding white space is allowed and not stored. */
export function emailDefect(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  const address = value.trim();
  if (address.length > EMAIL_MAX_LENGTH) return `must be at most ${EMAIL_MAX_LENGTH} characters`;
  if (!isStorableText(address) || !isEmail(address)) return 'must be an e-mail address, such as ada@example.com';
  if (UNSEEN.test(address)) return 'must not contain blanks or characters that cannot be seen; type it anew';
  return undefined;
}

/** Normalized form for comparison: lower case, in Unicode normalization form C. */
export function emailKey(address: string): string {
  return address.trim().toLowerCase().normalize('NFC');
}
