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
/** Maximum validity of a token in days. */
export const ENROLLMENT_MAX_DAYS = 30;

/** Input of an enrollment. */
export interface EnrollmentDraft {
  userId: string;
  /** Name of the future device. */
  name: string;
  /** Time at which the token expires. Default: in 24 hours. */
  expiresAt?: Date | undefined;
}

/** An enrollment with its token, which is shown only once. */
export interface IssuedEnrollment {
  readonly enrollment: DeviceEnrollment;
  readonly token: string;
}

/** Creates and cancels enrollments of devices. */
@Injectable()
export class EnrollmentService {
  constructor(
    private readonly ledger: DeviceLedger,
    private readonly authorities: DeviceAuthorities,
    private readonly users: DeviceUsers,
  ) {}

  /**
   * Creates a token to enroll one device for the user. The first enrollment of an organization also creates its
   * authority, so that programs that verify certificates can fetch the authority before a device has one.
   * @throws BadRequestError if there is no such user, or if the expiry is too early or too late
   * @throws DeviceStateError if the user is not active
   */
  async issue(actor: Actor, { userId, name, expiresAt }: EnrollmentDraft): Promise<IssuedEnrollment> {
    const { orgId } = actor;
    if (!(await this.users.isActive(orgId, userId))) {
      throw BadRequestError.field('user_id', 'is not a user of this organization');
    }
    const token = newEnrollmentToken();
    return this.ledger.change(actor, async step => {
      const { em, now } = step;
      // If the user leaves in a transaction that commits before this check, the check fails. If that transaction
      // commits later, it cancels this enrollment.
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
   * Cancels an enrollment, so that its token is no longer valid. Safe to repeat.
   * @throws EnrollmentNotFoundError
   * @throws DeviceStateError if a device was enrolled with it
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

/**
 * Cancels one enrollment in a change of devices, unless it is already cancelled.
 * @throws DeviceStateError if it was used
 */
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
