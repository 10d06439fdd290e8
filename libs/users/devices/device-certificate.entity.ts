import { createHash } from 'node:crypto';
import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { RevocationCode } from './certificates/index.js';

/** A certificate issued to a device. */
@Entity({ tableName: 'device_certificates', schema: 'governance' })
export class DeviceCertificate {
  [PrimaryKeyProp]?: ['orgId', 'serial'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  /** Lower-case hexadecimal. */
  @PrimaryKey({ type: 'text' })
  serial!: string;

  @Property({ type: 'uuid' })
  deviceId!: string;

  /** The authority that signed the certificate. */
  @Property({ type: 'uuid' })
  authorityId!: string;

  /** DER. */
  @Property({ type: 'blob' })
  certificate!: Buffer;

  /** The device's public key, SubjectPublicKeyInfo in DER. */
  @Property({ type: 'blob' })
  spki!: Buffer;

  /** Fingerprint of the key, independent of its encoding. */
  @Property({ type: 'blob' })
  keyFingerprint!: Buffer;

  /** Serial number of the replaced certificate; null for a device's first certificate. */
  @Property({ type: 'text', nullable: true })
  replaces!: string | null;

  @Property({ type: 'timestamptz' })
  notBefore!: Date;

  @Property({ type: 'timestamptz' })
  notAfter!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  @Property({ type: 'text', nullable: true })
  crlReason!: RevocationCode | null;

  /** SHA-256 of the certificate, in lower-case hexadecimal. */
  fingerprint(): string {
    return createHash('sha256').update(this.certificate).digest('hex');
  }
}
