import { Injectable } from '@nestjs/common';
import { Clock, DeviceDirectory, type DeviceStatus } from '#core';
import { ChangeFeed, OrgDatabase, OrgTable } from '#database';
import { DEVICES_TOPIC } from '../devices.topic.js';
import { DEVICE_COLUMNS, OrgDevices, type DeviceRow } from './org-devices.js';

/**
 * Device directory over this library's table. If the table cannot be read, it throws instead of reporting a device as
 * unknown.
 */
@Injectable()
export class StoredDeviceDirectory extends DeviceDirectory {
  private readonly devices: OrgTable<DeviceRow, OrgDevices>;

  constructor(
    database: OrgDatabase,
    changes: ChangeFeed,
    private readonly clock: Clock,
  ) {
    super();
    this.devices = new OrgTable(database, changes, {
      topic: DEVICES_TOPIC,
      table: 'devices',
      columns: DEVICE_COLUMNS,
      empty: () => new OrgDevices(),
    });
  }

  override statusOf(orgId: string, deviceId: string, userId: string | undefined): DeviceStatus | Promise<DeviceStatus> {
    const now = this.clock.now().getTime();
    const known = this.devices.peek(orgId);
    if (known) return known.statusOf(deviceId, userId, now);
    return this.devices.of(orgId).then(devices => devices.statusOf(deviceId, userId, now));
  }
}
