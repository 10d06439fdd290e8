import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OrganizationStates, UserDirectory, type UserStatus } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { StoredUserDirectory } from '../directory/stored-user-directory.js';
import { DeviceStateError } from './device.errors.js';

const STATUS = `select status from ${SCHEMA}.users where org_id = $1 and id = $2`;

/** Checks that users may have devices: only active users get certificates. */
@Injectable()
export class DeviceUsers {
  constructor(
    private readonly directory: UserDirectory,
    private readonly organizations: OrganizationStates,
  ) {}

  /**
   * Returns whether the directory knows the user.
   * @throws DeviceStateError if the directory knows the user as not active
   * @throws OrganizationSuspendedError
   */
  async isActive(orgId: string, userId: string): Promise<boolean> {
    await this.organizations.assertActive(orgId);
    const [user] = await this.directory.find(orgId, [{ user_id: userId }]);
    if (user) assertActive(user.status);
    return user !== undefined;
  }

  /** @throws DeviceStateError unless the user exists and is active */
  async assertActive(orgId: string, userId: string): Promise<void> {
    if (!(await this.isActive(orgId, userId))) assertActive('gone');
  }

  /**
   * Checks the user's row in the transaction that issues a certificate. Another replica may have suspended the user
   * without this replica knowing it yet. With a directory of the host, there is no row; {@link isActive} has queried
   * that directory before.
   * @throws DeviceStateError unless the user exists and is active
   */
  async assertStillActive(em: EntityManager, orgId: string, userId: string): Promise<void> {
    if (!(this.directory instanceof StoredUserDirectory)) return;
    const [row] = await sqlOf(em).query<{ status: UserStatus }>(STATUS, [orgId, userId]);
    assertActive(row?.status ?? 'gone');
  }
}

function assertActive(status: UserStatus | 'gone'): void {
  if (status === 'active') return;
  throw new DeviceStateError(`The user is ${status}; only devices of active users are enrolled and renewed.`);
}
