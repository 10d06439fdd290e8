import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { BadRequestError, newId } from '#core';
import { auditedEnrollment } from '../audited-device.js';
import { DeviceAuthorities } from '../authority/device-authorities.js';
import { DeviceEnrollment } from '../device-enrollment.entity.js';
import { EnrollmentNotFoundError } from '../device.errors.js';
import { DeviceLedger, type DeviceStep } from '../device-ledger.js';
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
    private readonly ledger: DeviceLedger,
    private readonly authorities: DeviceAuthorities,
    private readonly users: DeviceUsers,
  ) {}

  /**
   * Makes a token with which one device can be enrolled for the user. The first one of an organization also makes its
   * authority, so that relying parties can fetch it before a device has a certificate.
   * @throws BadRequestError where there is no such user, or the token would end too early or too late
   * @throws DeviceStateError where the user is not active
   */
  async issue(actor: Actor, { userId, name, expiresAt }: EnrollmentDraft): Promise<IssuedEnrollment> {
    const { orgId } = actor;
    if (!(await this.users.isActive(orgId, userId))) {
      throw BadRequestError.field('user_id', 'is not a user of this organization');
    }
    const token = newEnrollmentToken();
    return this.ledger.change(actor, async step => {
      const { em, now } = step;
      // A departure that commits first is seen here; one that commits later cancels this enrollment.
      await this.users.assertStillActive(em, orgId, userId);
      const enrollment = new DeviceEnrollment();
      Object.assign(enrollment, { orgId, id: newId(now), userId: userId.toLowerCase(), name, createdAt: now });
      Object.assign(enrollment, { tokenHash: hashOfEnrollmentToken(token), usedAt: null, deviceId: null });
      enrollment.expiresAt = checkedEnd(expiresAt, now);
      enrollment.cancelledAt = null;
      await this.authorities.signing(step);
      em.persist(enrollment);
      step.note({
        action: 'device_enrollment.created',
        resourceType: 'device_enrollment',
        resourceId: enrollment.id,
        before: null,
        after: auditedEnrollment(enrollment),
      });
      return { enrollment, token };
    });
  }

  /**
   * Takes the leave back: the token enrolls nothing any more. May be repeated.
   * @throws EnrollmentNotFoundError
   * @throws DeviceStateError where a device was enrolled with it
   */
  async cancel(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.ledger.change(actor, async step => {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const enrollment = await step.em.findOne(DeviceEnrollment, { orgId, id }, { lockMode });
      if (!enrollment) throw new EnrollmentNotFoundError();
      cancelEnrollment(step, enrollment);
    });
  }
}

/** Cancels one enrollment in a change of devices, unless that was done before. @throws DeviceStateError where it was used */
export function cancelEnrollment(step: Pick<DeviceStep, 'now' | 'note'>, enrollment: DeviceEnrollment): void {
  const before = auditedEnrollment(enrollment);
  if (!enrollment.cancel(step.now)) return;
  step.note({
    action: 'device_enrollment.cancelled',
    resourceType: 'device_enrollment',
    resourceId: enrollment.id,
    before,
    after: auditedEnrollment(enrollment),
  });
}

function checkedEnd(expiresAt: Date | undefined, now: Date): Date {
  if (expiresAt === undefined) return new Date(now.getTime() + DEFAULT_HOURS * HOUR_MS);
  const latest = now.getTime() + ENROLLMENT_MAX_DAYS * 24 * HOUR_MS;
  if (expiresAt > now && expiresAt.getTime() <= latest) return expiresAt;
  throw BadRequestError.field('expires_at', `must be in the future, at most ${ENROLLMENT_MAX_DAYS} days ahead`);
}
