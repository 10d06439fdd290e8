import { BigIntType } from '@mikro-orm/core';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { DeviceStatus } from '#core';
import { OrgRecord } from '#database';
import type { RevocationCode } from './certificates/index.js';
import type { DeviceCertificate } from './device-certificate.entity.js';
import { DeviceStateError } from './device.errors.js';

/** User and name of a device. */
export interface DeviceOwner {
  userId: string;
  name: string;
}

/** An enrolled device of a user. */
@Entity({ tableName: 'devices', schema: 'governance' })
export class Device extends OrgRecord {
  @Property({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'text' })
  name!: string;

  /** Serial number of the current certificate, lower-case hexadecimal. */
  @Property({ type: 'text' })
  certificateSerial!: string;

  /** SHA-256 of the current certificate (DER), lower-case hexadecimal. */
  @Property({ type: 'text', fieldName: 'fingerprint_sha256' })
  fingerprint!: string;

  @Property({ type: 'timestamptz' })
  certificateExpiresAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  /** Reason of the revocation in free text. */
  @Property({ type: 'text', nullable: true })
  revocationReason!: string | null;

  /** Reason code of the revocation list; null unless revoked. */
  @Property({ type: 'text', nullable: true })
  crlReason!: RevocationCode | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /**
   * Version of the topic `devices` at the last change. An in-memory directory reads the rows with a newer version than
   * its own.
   */
  @Property({ type: new BigIntType('number') })
  changeVersion!: number;

  /** Creates a device with its first certificate. */
  static enroll(owner: DeviceOwner, certificate: DeviceCertificate, version: number, now: Date): Device {
    const device = new Device();
    Object.assign(device, { ...owner, revokedAt: null, revocationReason: null, crlReason: null });
    device.orgId = certificate.orgId;
    device.id = certificate.deviceId;
    device.createdAt = now;
    device.carry(certificate, version, now);
    return device;
  }

  /** Makes the certificate the current one of the device. */
  carry(certificate: DeviceCertificate, version: number, now: Date): void {
    this.certificateSerial = certificate.serial;
    this.fingerprint = certificate.fingerprint();
    this.certificateExpiresAt = certificate.notAfter;
    this.updatedAt = now;
    this.changeVersion = version;
  }

  /**
   * Revokes the device permanently. For a device that is already revoked for another reason, records that its key was
   * compromised. Returns whether the device was not revoked before.
   * @throws DeviceStateError if nothing would change
   */
  revoke(why: { reason: string | null; code: RevocationCode }, version: number, now: Date): boolean {
    const isFirst = this.revokedAt === null;
    if (!isFirst && (why.code !== 'key_compromise' || this.crlReason === why.code)) {
      throw new DeviceStateError('The device is already revoked; enroll it again to use it.');
    }
    this.revokedAt ??= now;
    this.revocationReason = why.reason ?? this.revocationReason;
    this.crlReason = why.code;
    this.updatedAt = now;
    this.changeVersion = version;
    return isFirst;
  }

  /** A device that is revoked and expired is reported as revoked. */
  statusAt(now: Date): Exclude<DeviceStatus, 'unknown'> {
    if (this.revokedAt) return 'revoked';
    return this.certificateExpiresAt <= now ? 'expired' : 'active';
  }
}
