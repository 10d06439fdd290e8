import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Visitor } from '#access';
import { Clock, newId } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { auditedDevice, deviceData } from '../audited-device.js';
import { DeviceEnrollment } from '../device-enrollment.entity.js';
import { Device } from '../device.entity.js';
import { EnrollmentTokenError } from '../device.errors.js';
import { DeviceLedger } from '../device-ledger.js';
import { DeviceUsers } from '../device-users.js';
import { deviceActor } from './device-actor.js';
import { DeviceCertifier, requestBytes, requestedKey, type DeviceWithCertificate } from './device-certifier.js';
import { hashOfEnrollmentToken } from './enrollment-token.js';

const ENROLLMENT_OF = `select org_id, id from ${SCHEMA}.device_enrollment_of($1)`;

/** Enrolls a device that presents an enrollment token. */
@Injectable()
export class DeviceEnroller {
  constructor(
    private readonly database: OrgDatabase,
    private readonly ledger: DeviceLedger,
    private readonly certifier: DeviceCertifier,
    private readonly users: DeviceUsers,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a device for the caller that holds the token and the key of the certificate request. Only a successful
   * enrollment uses up the token, and only one device can use it.
   * @throws EnrollmentTokenError unless the token is valid
   * @throws BadRequestError describing the fault of the request; the token remains valid
   * @throws DeviceStateError if the user is not active
   */
  async enroll(visitor: Visitor, token: string, csr: string): Promise<DeviceWithCertificate> {
    // The token is checked before the certificate request. Otherwise, unauthenticated callers could trigger expensive
    // signature checks.
    const { orgId, id, userId, name } = await this.usable(token);
    const key = await requestedKey(requestBytes(csr));
    await this.users.assertActive(orgId, userId);
    const deviceId = newId(this.clock.now());
    return this.ledger.change(deviceActor(visitor, { orgId, id: deviceId, name, userId }), async step => {
      const { em, now } = step;
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const enrollment = await em.findOneOrFail(DeviceEnrollment, { orgId, id }, { lockMode });
      enrollment.use(deviceId, now);
      await this.users.assertStillActive(em, orgId, userId);
      const issued = await this.certifier.issue(step, deviceId, key, null);
      const device = Device.enroll({ userId, name }, issued.certificate, step.version, now);
      em.persist([device, issued.certificate]);
      step.tell({ type: 'device_enrolled', data: deviceData(device) });
      step.note({
        action: 'device.enrolled',
        resourceType: 'device',
        resourceId: deviceId,
        before: null,
        after: { ...auditedDevice(device), enrollment_id: id },
      });
      return { device, ...issued };
    });
  }

  private async usable(token: string): Promise<DeviceEnrollment> {
    const hash = hashOfEnrollmentToken(token);
    const [found] = hash ? await this.database.global<{ org_id: string; id: string }>(ENROLLMENT_OF, [hash]) : [];
    if (!found) throw new EnrollmentTokenError('The enrollment token is unknown; ask for a new one.');
    const { org_id: orgId, id } = found;
    const enrollment = await this.database.transaction(orgId, em => em.findOneOrFail(DeviceEnrollment, { orgId, id }));
    enrollment.assertUsable(this.clock.now());
    return enrollment;
  }
}
