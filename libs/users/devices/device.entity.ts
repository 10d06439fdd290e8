import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { DeviceStatus } from '#core';
import type { RevocationCode } from './certificates/index.js';
import type { DeviceCertificate } from './device-certificate.entity.js';
import { DeviceStateError } from './device.errors.js';

/** Whose device it is and what people call it. */
export interface DeviceOwner {
  userId: string;
  name: string;
}

/** A device that was enrolled for a user. */
@Entity({ tableName: 'devices', schema: 'governance' })
export class Device {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'text' })
  name!: string;

  /** Serial number of the present certificate, lower-case hexadecimal. */
  @Property({ type: 'text' })
  certificateSerial!: string;

  /** SHA-256 of the present certificate (DER), lower-case hexadecimal. */
  @Property({ type: 'text', fieldName: 'fingerprint_sha256' })
  fingerprint!: string;

  @Property({ type: 'timestamptz' })
  certificateExpiresAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  /** In somebody's own words. */
  @Property({ type: 'text', nullable: true })
  revocationReason!: string | null;

  /** In the words of revocation lists; null unless revoked. */
  @Property({ type: 'text', nullable: true })
  crlReason!: RevocationCode | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** Mark of the topic `devices` at the last change, so that a directory in memory can ask for what is newer. */
  @Property({ type: new BigIntType('number') })
  changeVersion!: number;

  /** A device with its first certificate. */
  static enroll(owner: DeviceOwner, certificate: DeviceCertificate, version: number, now: Date): Device {
    const device = new Device();
    Object.assign(device, { ...owner, revokedAt: null, revocationReason: null, crlReason: null });
    device.orgId = certificate.orgId;
    device.id = certificate.deviceId;
    device.createdAt = now;
    device.carry(certificate, version, now);
    return device;
  }

  /** From now on this certificate is the device's own. */
  carry(certificate: DeviceCertificate, version: number, now: Date): void {
    this.certificateSerial = certificate.serial;
    this.fingerprint = certificate.fingerprint();
    this.certificateExpiresAt = certificate.notAfter;
    this.updatedAt = now;
    this.changeVersion = version;
  }

  /**
   * Ends it for good, or says of one that was revoked for another reason that its key was compromised. Whether it was
   * not revoked before. @throws DeviceStateError where there is nothing more to say
   */
  revoke(why: { reason: string | null; code: RevocationCode }, version: number, now: Date): boolean {
    const isFirst = this.revokedAt === null;
    if (!isFirst && (why.code !== 'key_compromise' || this.crlReason === why.code)) {
      throw new DeviceStateError('The device is revoked already; enroll it anew to use it again.');
    }
    this.revokedAt ??= now;
    this.revocationReason = why.reason ?? this.revocationReason;
    this.crlReason = why.code;
    this.updatedAt = now;
    this.changeVersion = version;
    return isFirst;
  }

  /** Where it stands at a time. */
  statusAt(now: Date): Exclude<DeviceStatus, 'unknown'> {
    if (this.revokedAt) return 'revoked';
    return this.certificateExpiresAt <= now ? 'expired' : 'active';
  }
}
