/**
 * Where a device stands in the eyes of a decision. `unknown`: nobody enrolled it, or it is another user's. `expired`: its
 * certificate has run out and was not renewed.
 */
export const DEVICE_STATUSES = ['active', 'expired', 'revoked', 'unknown'] as const;

/** Status of a device, as decisions see it. */
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

/**
 * Which devices the people of an organization work on. Decisions that name a device ask it, so answers must come from
 * memory and must be current: a revocation counts everywhere within one second.
 */
export abstract class DeviceDirectory {
  /**
   * The status of a device when this user works on it; `userId` is undefined where the directory of users knows nobody,
   * and `deviceId` is any text that the caller sent. Called for every decision that names a device; may repeat. Throw
   * only when the devices cannot be known: the caller answers 503 and never takes it as `unknown`.
   */
  abstract statusOf(orgId: string, deviceId: string, userId: string | undefined): DeviceStatus | Promise<DeviceStatus>;
}
