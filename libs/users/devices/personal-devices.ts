import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { PersonalCredentials, type AuditEntry, type CredentialStore, type Leaver } from '#access';
import { DeviceEnrollment } from './device-enrollment.entity.js';
import { Device } from './device.entity.js';
import { DeviceLedger } from './device-ledger.js';
import { revokeDevice } from './device.service.js';
import { DEVICES_OPTIONS, type DevicesOptions } from './devices.options.js';
import { cancelEnrollment } from './enroll/enrollment.service.js';

const REASON = 'The user has left.';
const LOCKED = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/**
 * Cancels the open enrollments of users who leave. Revokes the devices of users who are erased, or of all users who
 * leave if the option says so.
 */
@Injectable()
export class PersonalDevices implements CredentialStore, OnModuleInit {
  constructor(
    private readonly credentials: PersonalCredentials,
    private readonly ledger: DeviceLedger,
    @Inject(DEVICES_OPTIONS) private readonly options: DevicesOptions,
  ) {}

  onModuleInit(): void {
    this.credentials.add(this);
  }

  async revokeAllOf(em: EntityManager, { orgId, userId, isErased = false }: Leaver): Promise<AuditEntry[]> {
    const { entries } = await this.ledger.within(em, orgId, async step => {
      const open = { orgId, userId, usedAt: null, cancelledAt: null };
      for (const enrollment of await em.find(DeviceEnrollment, open, LOCKED)) cancelEnrollment(step, enrollment);
      if (!this.options.revokeOnDeparture && !isErased) return;
      const good = { orgId, userId, revokedAt: null };
      for (const device of await em.find(Device, good, LOCKED)) {
        await revokeDevice(step, device, REASON, 'cessation_of_operation');
      }
    });
    return entries;
  }
}
