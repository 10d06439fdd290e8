import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Visitor } from '#access';
import { BadRequestError, Clock } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { auditedDevice } from '../audited-device.js';
import { isSignedBy } from '../certificates/index.js';
import { DeviceAuthority } from '../device-authority.entity.js';
import { DeviceCertificate } from '../device-certificate.entity.js';
import { Device } from '../device.entity.js';
import { DeviceProofError, DeviceStateError } from '../device.errors.js';
import { DeviceLedger } from '../device-ledger.js';
import { DeviceUsers } from '../device-users.js';
import { deviceActor } from './device-actor.js';
import { DeviceCertifier, requestBytes, requestedKey, type DeviceWithCertificate } from './device-certifier.js';

const ORG_OF = `select ${SCHEMA}.device_org($1::uuid)::text as org_id`;
const NOT_PROVED =
  'There is no such device, or the proof is not the signature of its present key over the certificate request in DER.';

/** A device with its current and its previous certificate. */
interface Standing extends DeviceWithCertificate {
  readonly former: DeviceCertificate | null;
}

/**
 * Issues a certificate for a new key of a device. The device signs its certificate request with its current key, which
 * proves that the request is from the device. The request itself proves that the device holds the new key.
 */
@Injectable()
export class DeviceRenewal {
  constructor(
    private readonly database: OrgDatabase,
    private readonly ledger: DeviceLedger,
    private readonly certifier: DeviceCertifier,
    private readonly users: DeviceUsers,
    private readonly clock: Clock,
  ) {}

  /**
   * Renews a certificate. The previous certificate remains valid until it expires, so that the device can switch at any
   * time. A device that has not received the answer may repeat the request, signed with its previous key. It then gets
   * the same certificate.
   * @throws DeviceProofError unless the proof is valid and the device is neither revoked nor expired
   * @throws BadRequestError describing the fault of the request
   * @throws DeviceStateError if the user is missing or not active, or the device changed concurrently
   */
  async renew(visitor: Visitor, deviceId: string, csr: string, proof: Buffer): Promise<DeviceWithCertificate> {
    const bytes = requestBytes(csr);
    const standing = await this.standing(deviceId);
    const isPresent = standing && isSignedBy(standing.certificate.spki, bytes, proof);
    const isFormer = standing?.former && !isPresent && isSignedBy(standing.former.spki, bytes, proof);
    if (!standing || (!isPresent && !isFormer)) throw new DeviceProofError(NOT_PROVED);
    const { device, certificate: present } = standing;
    const status = device.statusAt(this.clock.now());
    if (status !== 'active') throw new DeviceProofError(`The device is ${status}; enroll it anew.`);
    const key = await requestedKey(bytes);
    const isRepeat = key.fingerprint.equals(present.keyFingerprint);
    if (isFormer && !isRepeat) throw new DeviceProofError(NOT_PROVED);
    if (isFormer) return standing;
    if (isRepeat) throw BadRequestError.field('csr', 'has the key of the present certificate; make a new key for it');
    await this.users.assertActive(device.orgId, device.userId);
    return this.ledger.change(deviceActor(visitor, device), async step => {
      const { em, orgId, now, version } = step;
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const held = await em.findOneOrFail(Device, { orgId, id: device.id }, { lockMode });
      if (held.certificateSerial !== present.serial || held.revokedAt) {
        throw new DeviceStateError('The device was renewed or revoked at the same time; read it and try again.');
      }
      await this.users.assertStillActive(em, orgId, held.userId);
      const before = auditedDevice(held);
      const issued = await this.certifier.issue(step, held.id, key, present.serial);
      held.carry(issued.certificate, version, now);
      em.persist(issued.certificate);
      const after = auditedDevice(held);
      step.note({ action: 'device.renewed', resourceType: 'device', resourceId: held.id, before, after });
      return { device: held, ...issued };
    });
  }

  private async standing(deviceId: string): Promise<Standing | undefined> {
    const [row] = await this.database.global<{ org_id: string | null }>(ORG_OF, [deviceId]);
    const orgId = row?.org_id;
    if (!orgId) return undefined;
    return this.database.transaction(orgId, async em => {
      const device = await em.findOneOrFail(Device, { orgId, id: deviceId });
      const certificate = await em.findOneOrFail(DeviceCertificate, { orgId, serial: device.certificateSerial });
      const { replaces, authorityId } = certificate;
      const former = replaces === null ? null : await em.findOne(DeviceCertificate, { orgId, serial: replaces });
      const authority = await em.findOneOrFail(DeviceAuthority, { orgId, id: authorityId });
      return { device, certificate, authority, former };
    });
  }
}
