import { Injectable } from '@nestjs/common';
import { Clock, DeviceDirectory, type DeviceStatus } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { DEVICES_TOPIC } from '../devices.topic.js';
import { OrgDevices } from './org-devices.js';

/**
 * The directory over this library's own table. An organization is read into memory when it is first asked for, and
 * kept current from then on by the topic `devices` of the change feed. While the table cannot be read, asking for an
 * organization that is not in memory fails; it never finds a device unknown.
 */
@Injectable()
export class StoredDeviceDirectory extends DeviceDirectory {
  private readonly loaded = new Map<string, OrgDevices>();
  private readonly loading = new Map<string, Promise<OrgDevices>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly clock: Clock,
  ) {
    super();
    changes.subscribe(DEVICES_TOPIC, orgId => this.refresh(orgId));
  }

  override statusOf(orgId: string, deviceId: string, userId: string | undefined): DeviceStatus | Promise<DeviceStatus> {
    const now = this.clock.now().getTime();
    const known = this.loaded.get(orgId);
    if (known) return known.statusOf(deviceId, userId, now);
    return this.load(orgId).then(devices => devices.statusOf(deviceId, userId, now));
  }

  /** Callers who come while an organization is being read wait for the same reading; a failed one is not kept. */
  private load(orgId: string): Promise<OrgDevices> {
    const running = this.loading.get(orgId);
    if (running) return running;
    const loading = this.read(orgId).finally(() => this.loading.delete(orgId));
    this.loading.set(orgId, loading);
    return loading;
  }

  private async read(orgId: string): Promise<OrgDevices> {
    await this.changes.watch(orgId);
    const devices = new OrgDevices();
    await this.database.transaction(orgId, em => devices.readAll(sqlOf(em), orgId));
    this.loaded.set(orgId, devices);
    return devices;
  }

  /** The feed calls this once at a time and again until it succeeds. */
  private async refresh(orgId: string): Promise<void> {
    // A reading that fails leaves nothing that could be out of date.
    await this.loading.get(orgId)?.catch(() => undefined);
    const devices = this.loaded.get(orgId);
    if (devices) await this.database.transaction(orgId, em => devices.readChanges(sqlOf(em), orgId));
  }
}
