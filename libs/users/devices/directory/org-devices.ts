import type { DeviceStatus } from '#core';
import type { RowsInMemory, VersionedRow } from '#database';

/** Columns of a device, besides id and version. */
export const DEVICE_COLUMNS = `user_id, revoked_at is not null as revoked,
  (extract(epoch from certificate_expires_at) * 1000)::float8 as expires_ms`;

/** A device as the directory reads it. */
export interface DeviceRow extends VersionedRow {
  user_id: string;
  revoked: boolean;
  expires_ms: number;
}

interface KnownDevice {
  readonly userId: string;
  readonly revoked: boolean;
  readonly expiresMs: number;
}

/** In-memory index of one organization's devices. */
export class OrgDevices implements RowsInMemory<DeviceRow> {
  private readonly byId = new Map<string, KnownDevice>();

  /** The status of a user's device at a time, given in milliseconds. Ids are compared without case. */
  statusOf(deviceId: string, userId: string | undefined, now: number): DeviceStatus {
    const device = this.byId.get(deviceId) ?? this.byId.get(deviceId.toLowerCase());
    if (!device || userId?.toLowerCase() !== device.userId) return 'unknown';
    if (device.revoked) return 'revoked';
    return device.expiresMs <= now ? 'expired' : 'active';
  }

  put({ id, user_id: userId, revoked, expires_ms: expiresMs }: DeviceRow): void {
    this.byId.set(id, { userId, revoked, expiresMs });
  }
}
