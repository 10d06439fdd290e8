import type { UserDirectory } from '#core';
import { DeviceStateError } from './device.errors.js';

/**
 * Whether the directory knows the user. Nobody gets a certificate for a user who may not use LLMs.
 * @throws DeviceStateError where the user is known and not active
 */
export async function isActiveUser(users: UserDirectory, orgId: string, userId: string): Promise<boolean> {
  const [user] = await users.find(orgId, [{ user_id: userId }]);
  if (user && user.status !== 'active') {
    throw new DeviceStateError(`The user is ${user.status}; only devices of active users are enrolled and renewed.`);
  }
  return user !== undefined;
}
