import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { auditedDevice, deviceData } from './audited-device.js';
import type { RevocationCode } from './certificates/index.js';
import { Device } from './device.entity.js';
import { DeviceNotFoundError } from './device.errors.js';
import { DeviceLedger, type DeviceStep } from './device-ledger.js';

/** Why a device is revoked. */
export interface Revocation {
  /** In somebody's own words. */
  reason?: string | undefined;
  /** In the words of revocation lists. Default: `unspecified`. */
  code?: RevocationCode | undefined;
}

// The certificates first and the authorities behind them: a list that is signed between the two is out of date at once.
const REVOKE = `
update ${SCHEMA}.device_certificates set revoked_at = $3, crl_reason = $4
where org_id = $1 and device_id = $2 and revoked_at is null`;
const OUTDATE = `
update ${SCHEMA}.device_authorities set list_is_current = false
where org_id = $1 and id in (
  select c.authority_id from ${SCHEMA}.device_certificates c where c.org_id = $1 and c.device_id = $2)`;

/** Shows devices and revokes them. */
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
   * Revokes a device with all its certificates, for good: decisions see it at once, here and on every replica, and the
   * next revocation list names them.
   * @throws DeviceNotFoundError, DeviceStateError where it is revoked already
   */
  async revoke(actor: Actor, id: string, { reason, code = 'unspecified' }: Revocation): Promise<Device> {
    return this.ledger.change(actor, async (step: DeviceStep) => {
      const { em, orgId, now, version } = step;
      const device = await em.findOne(Device, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!device) throw new DeviceNotFoundError();
      const before = auditedDevice(device);
      device.revoke({ reason: reason ?? null, code }, version, now);
      await sqlOf(em).query(REVOKE, [orgId, id, now.toISOString(), code]);
      await sqlOf(em).query(OUTDATE, [orgId, id]);
      step.tell({ type: 'device_revoked', data: deviceData(device) });
      const after = auditedDevice(device);
      step.note({ action: 'device.revoked', resourceType: 'device', resourceId: id, before, after });
      return device;
    });
  }
}
