import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { UserDirectory, type UserStatus } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { StoredUserDirectory } from '../directory/stored-user-directory.js';
import { DeviceStateError } from './device.errors.js';

const STATUS = `select status from ${SCHEMA}.users where org_id = $1 and id = $2`;

/** Whether people may have devices: nobody gets a certificate for a user who may not use LLMs. */
@Injectable()
export class DeviceUsers {
  constructor(private readonly directory: UserDirectory) {}

  /** Whether the directory knows the user. @throws DeviceStateError where it does, and the user is not active */
  async isActive(orgId: string, userId: string): Promise<boolean> {
    const [user] = await this.directory.find(orgId, [{ user_id: userId }]);
    if (user) assertActive(user.status);
    return user !== undefined;
  }

  /** @throws DeviceStateError unless the user is there and active */
  async assertActive(orgId: string, userId: string): Promise<void> {
    if (!(await this.isActive(orgId, userId))) assertActive('gone');
  }

  /**
   * The same in the transaction that issues a certificate, by the user's row: a replica may not have heard yet of a
   * suspension that was answered elsewhere. A directory of the host's own has been asked before, and has no row.
   * @throws DeviceStateError unless the user is there and active
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
