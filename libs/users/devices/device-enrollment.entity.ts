import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';
import { DeviceStateError, EnrollmentTokenError } from './device.errors.js';

/** Permission to enroll one device for a user. Stores the hash of the token, never the token. */
@Entity({ tableName: 'device_enrollments', schema: 'governance' })
export class DeviceEnrollment extends OrgRecord {
  @Property({ type: 'uuid' })
  userId!: string;

  /** Name of the future device. */
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

  /** The enrolled device; null before the enrollment. */
  @Property({ type: 'uuid', nullable: true })
  deviceId!: string | null;

  @Property({ type: 'timestamptz', nullable: true })
  cancelledAt!: Date | null;

  /** @throws EnrollmentTokenError unless the token is valid at this time */
  assertUsable(now: Date): void {
    if (this.usedAt) throw new EnrollmentTokenError('The enrollment token has already been used; ask for a new one.');
    if (this.cancelledAt) throw new EnrollmentTokenError('The enrollment was cancelled; ask for a new token.');
    if (this.expiresAt <= now) throw new EnrollmentTokenError('The enrollment token has expired; ask for a new one.');
  }

  /**
   * Marks the token as used.
   * @throws EnrollmentTokenError unless the token is valid
   */
  use(deviceId: string, now: Date): void {
    this.assertUsable(now);
    this.usedAt = now;
    this.deviceId = deviceId;
  }

  /**
   * Cancels the enrollment. Returns whether it was not cancelled before.
   * @throws DeviceStateError if a device was enrolled with it
   */
  cancel(now: Date): boolean {
    if (this.usedAt) {
      throw new DeviceStateError('A device has already been enrolled with this token; revoke the device instead.');
    }
    if (this.cancelledAt) return false;
    this.cancelledAt = now;
    return true;
  }
}
