import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, type Keyring } from '#core';
import type { AuditHead } from './audit-chain.js';

/**
 * Proves that the head was written with the keyring. Database privileges alone are not enough to create a valid seal.
 */
export interface HeadSeal {
  /** Id of the key in the keyring. */
  keyId: string;
  /** HMAC-SHA-256. */
  mac: Buffer;
}

/** Purpose for which the keys are derived from the keyring. */
const PURPOSE = 'audit heads';

/** Seals a head with the current key. @throws Error if the keyring is empty */
export function sealHead(keyring: Keyring, orgId: string, head: AuditHead): HeadSeal {
  const keyId = keyring.writingKeyId;
  const key = keyring.derive(keyId, PURPOSE);
  if (!key) throw new Error('keys: the keyring is empty; give it a key');
  return { keyId, mac: macOf(key, orgId, head) };
}

/** Why the seal is invalid, as a predicate for "The head …"; undefined if it is valid. */
export function faultOfSeal(
  keyring: Keyring,
  orgId: string,
  head: AuditHead,
  seal: HeadSeal | undefined,
): string | undefined {
  if (!seal) return 'has no seal: it was written without the keyring, or follows a head that was';
  const key = keyring.derive(seal.keyId, PURPOSE);
  if (!key) return `is sealed under the key "${seal.keyId}", which is not at hand`;
  const mac = macOf(key, orgId, head);
  const isGood = seal.mac.length === mac.length && timingSafeEqual(seal.mac, mac);
  return isGood ? undefined : 'has a seal that does not fit it: it was rewritten without the keyring';
}

/** Reads the seal from its two columns. */
export function sealOf(row: { key_id: string | null; mac: Buffer | null }): HeadSeal | undefined {
  return row.key_id === null || row.mac === null ? undefined : { keyId: row.key_id, mac: row.mac };
}

function macOf(key: Buffer, orgId: string, { seq, hash }: AuditHead): Buffer {
  const sealed = canonicalJson(['audit head v1', orgId.toLowerCase(), seq, hash.toString('hex')]);
  return createHmac('sha256', key).update(sealed, 'utf8').digest();
}
