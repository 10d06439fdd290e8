import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId } from '#core';
import { OrgDatabase } from '#database';
import { auditedEnrollment } from '../audited-device.js';
import { DeviceEnrollment } from '../device-enrollment.entity.js';
import { EnrollmentNotFoundError } from '../device.errors.js';
import { DeviceUsers } from '../device-users.js';
import { hashOfEnrollmentToken, newEnrollmentToken } from './enrollment-token.js';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
/** Most days for which a token may be good. */
export const ENROLLMENT_MAX_DAYS = 30;

/** For whom a device is to be enrolled. */
export interface EnrollmentDraft {
  userId: string;
  /** What the device will be called. */
  name: string;
  /** Default: in 24 hours. */
  expiresAt?: Date | undefined;
}

/** An enrollment at the moment at which its token is known: it is shown once. */
export interface IssuedEnrollment {
  readonly enrollment: DeviceEnrollment;
  readonly token: string;
}

/** Gives leave to enroll devices, and takes it back. */
@Injectable()
export class EnrollmentService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly users: DeviceUsers,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a token with which one device can be enrolled for the user.
   * @throws BadRequestError where there is no such user, or the token would end too early or too late
   * @throws DeviceStateError where the user is not active
   */
  async issue(actor: Actor, { userId, name, expiresAt }: EnrollmentDraft): Promise<IssuedEnrollment> {
    const { orgId } = actor;
    const now = this.clock.now();
    if (!(await this.users.isActive(orgId, userId))) {
      throw BadRequestError.field('user_id', 'is not a user of this organization');
    }
    const token = newEnrollmentToken();
    const enrollment = new DeviceEnrollment();
    Object.assign(enrollment, { orgId, id: newId(now), userId: userId.toLowerCase(), name, createdAt: now });
    Object.assign(enrollment, { tokenHash: hashOfEnrollmentToken(token), usedAt: null, deviceId: null });
    enrollment.expiresAt = checkedEnd(expiresAt, now);
    enrollment.cancelledAt = null;
    await this.database.transaction(orgId, async em => {
      await em.persist(enrollment).flush();
      await this.audit.append(em, actor, {
        action: 'device_enrollment.created',
        resourceType: 'device_enrollment',
        resourceId: enrollment.id,
        before: null,
        after: auditedEnrollment(enrollment),
      });
    });
    return { enrollment, token };
  }

  /**
   * Takes the leave back: the token enrolls nothing any more. May be repeated.
   * @throws EnrollmentNotFoundError
   * @throws DeviceStateError where a device was enrolled with it
   */
  async cancel(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const enrollment = await em.findOne(DeviceEnrollment, { orgId, id }, { lockMode });
      if (!enrollment) throw new EnrollmentNotFoundError();
      const before = auditedEnrollment(enrollment);
      if (!enrollment.cancel(this.clock.now())) return;
      await em.flush();
      await this.audit.append(em, actor, {
        action: 'device_enrollment.cancelled',
        resourceType: 'device_enrollment',
        resourceId: id,
        before,
        after: auditedEnrollment(enrollment),
      });
    });
  }
}

function checkedEnd(expiresAt: Date | undefined, now: Date): Date {
  if (expiresAt === undefined) return new Date(now.getTime() + DEFAULT_HOURS * HOUR_MS);
  const latest = now.getTime() + ENROLLMENT_MAX_DAYS * 24 * HOUR_MS;
  if (expiresAt > now && expiresAt.getTime() <= latest) return expiresAt;
  throw BadRequestError.field('expires_at', `must be in the future, at most ${ENROLLMENT_MAX_DAYS} days ahead`);
}
