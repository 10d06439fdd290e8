import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { DeviceStateError, EnrollmentTokenError } from './device.errors.js';

/** Leave for one device to be enrolled for a user: what is kept of a token, never the token itself. */
@Entity({ tableName: 'device_enrollments', schema: 'governance' })
export class DeviceEnrollment {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'uuid' })
  userId!: string;

  /** What the device will be called. */
  @Property({ type: 'text' })
  name!: string;

  /** SHA-256 of the token. */
  @Property({ type: 'blob', lazy: true })
  tokenHash!: Buffer;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  expiresAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  usedAt!: Date | null;

  /** The device that was enrolled. */
  @Property({ type: 'uuid', nullable: true })
  deviceId!: string | null;

  @Property({ type: 'timestamptz', nullable: true })
  cancelledAt!: Date | null;

  /** @throws EnrollmentTokenError unless the token may be used at this time */
  assertUsable(now: Date): void {
    if (this.usedAt) throw new EnrollmentTokenError('The enrollment token was used already; ask for a new one.');
    if (this.cancelledAt) throw new EnrollmentTokenError('The enrollment was cancelled; ask for a new token.');
    if (this.expiresAt <= now) throw new EnrollmentTokenError('The enrollment token has expired; ask for a new one.');
  }

  /** Uses the token up. @throws EnrollmentTokenError unless it may be used */
  use(deviceId: string, now: Date): void {
    this.assertUsable(now);
    this.usedAt = now;
    this.deviceId = deviceId;
  }

  /** Takes the leave back; whether that changes anything. @throws DeviceStateError where a device was enrolled with it */
  cancel(now: Date): boolean {
    if (this.usedAt) {
      throw new DeviceStateError('A device was enrolled with it already; revoke the device instead.');
    }
    if (this.cancelledAt) return false;
    this.cancelledAt = now;
    return true;
  }
}
