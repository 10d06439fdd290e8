import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { auditedDevice, deviceData } from './audited-device.js';
import type { RevocationCode } from './certificates/index.js';
import { Device } from './device.entity.js';
import { DeviceNotFoundError } from './device.errors.js';
import { devicesSharingKeys } from './device-keys.js';
import { DeviceLedger, type DeviceStep } from './device-ledger.js';

/** Reason for which a device is revoked. */
export interface Revocation {
  /** The reason in free text. */
  reason?: string | undefined;
  /** Reason code for revocation lists. Default: `unspecified`. */
  code?: RevocationCode | undefined;
}

// Certificates are revoked before the lists are marked as outdated. A list that is signed between the two statements is
// then marked, too.
const REVOKE = `
update ${SCHEMA}.device_certificates set revoked_at = coalesce(revoked_at, $3), crl_reason = $4
where org_id = $1 and device_id = $2`;
const OUTDATE = `
update ${SCHEMA}.device_authorities set list_is_current = false
where org_id = $1 and id in (
  select c.authority_id from ${SCHEMA}.device_certificates c where c.org_id = $1 and c.device_id = $2)`;

/** Reads and revokes devices. */
@Injectable()
export class DeviceService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly ledger: DeviceLedger,
  ) {}

  /** @throws DeviceNotFoundError */
  async get(orgId: string, id: string): Promise<Device> {
    const device = await this.database.transaction(orgId, em => em.findOne(Device, { orgId, id }));
    if (!device) throw new DeviceNotFoundError();
    return device;
  }

  /**
   * Revokes a device and all its certificates permanently. Within a second, decisions on every replica refuse the
   * device. The next revocation list contains its certificates. If its key was compromised, every other device that has
   * or had one of its keys is revoked too. If a device was already revoked for another reason, its reason changes to
   * the compromised key.
   * @throws DeviceNotFoundError, DeviceStateError if it is already revoked
   */
  async revoke(actor: Actor, id: string, { reason, code = 'unspecified' }: Revocation): Promise<Device> {
    return this.ledger.change(actor, async step => {
      const { em, orgId } = step;
      const device = await em.findOne(Device, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!device) throw new DeviceNotFoundError();
      await revokeDevice(step, device, reason ?? null, code);
      if (code !== 'key_compromise') return device;
      for (const other of await devicesSharingKeys(em, orgId, id)) {
        if (other.crlReason !== code) await revokeDevice(step, other, device.revocationReason, code);
      }
      return device;
    });
  }
}

/** Revokes a device and all its certificates in a change of devices. */
export async function revokeDevice(
  step: DeviceStep,
  device: Device,
  reason: string | null,
  code: RevocationCode,
): Promise<void> {
  const { em, orgId, now, version } = step;
  const before = auditedDevice(device);
  const isFirst = device.revoke({ reason, code }, version, now);
  await sqlOf(em).query(REVOKE, [orgId, device.id, now.toISOString(), code]);
  await sqlOf(em).query(OUTDATE, [orgId, device.id]);
  // A device that was already revoked sends no second event.
  if (isFirst) step.tell({ type: 'device_revoked', data: deviceData(device) });
  const after = auditedDevice(device);
  step.note({ action: 'device.revoked', resourceType: 'device', resourceId: device.id, before, after });
}
