/**
 * Device status in decisions. `unknown`: not enrolled, or enrolled by another user. `expired`: its certificate
 * expired and was not renewed.
 */
export const DEVICE_STATUSES = ['active', 'expired', 'revoked', 'unknown'] as const;

/** Status of a device in decisions. */
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

/**
 * Directory of the devices of an organization. Decisions about requests with a device call it, so it must answer from
 * memory. A revocation must take effect everywhere within one second.
 */
export abstract class DeviceDirectory {
  /**
   * The status of a device for this user. `userId` is undefined for an unknown user; `deviceId` is an arbitrary text of
   * the caller. Called for every decision that names a device, also repeatedly. Throw only if the devices cannot be
   * read: the caller then answers 503 and does not assume `unknown`.
   */
  abstract statusOf(orgId: string, deviceId: string, userId: string | undefined): DeviceStatus | Promise<DeviceStatus>;
}
