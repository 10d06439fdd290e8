import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { userDirectoryContract, type ContractPerson, type UserDirectoryGround } from 'nest-llm-governance/testing';
import { operatorActor } from '#access';
import { sqlOf } from '#database';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { createUsersDatabase, startUsersReplica, type UsersReplica } from '../../../test/support/users-replica.js';

describe('the directory of stored users, on another replica than the one that writes', () => {
  let test: TestDatabase;
  let writer: UsersReplica;

  beforeAll(async () => {
    test = await createUsersDatabase();
    writer = await startUsersReplica(test.url);
  });

  afterAll(async () => {
    await writer?.stop();
    await test?.drop();
  });

  async function makeGround(): Promise<UserDirectoryGround> {
    // The reader gets no notifications, and polls as often as an app does.
    const reader = await startUsersReplica(test.url, { listen: false });
    const { database, directory } = reader;
    const transaction = database.transaction.bind(database);
    return {
      directory,
      orgId: randomUUID(),
      otherOrgId: randomUUID(),
      async create(orgId, { status, ...profile }) {
        const actor = operatorActor(orgId);
        const { id } = await writer.users.create(actor, profile, status === 'inactive' ? status : 'active');
        if (status === 'suspended') await writer.users.suspend(actor, id, 'offboarding');
        return id;
      },
      change,
      activity: {
        transaction: (orgId, work) => writer.database.transaction(orgId, em => work(sqlOf(em))),
        lastSeen: async (orgId, id) => (await writer.users.get(orgId, id)).lastActiveAt,
      },
      async cutOff() {
        database.transaction = () => Promise.reject(new Error('the database is out of reach'));
      },
      async close() {
        database.transaction = transaction;
        await reader.stop();
      },
    };
  }

  async function change(orgId: string, id: string, { status, ...profile }: ContractPerson): Promise<void> {
    const actor = operatorActor(orgId);
    const { status: before } = await writer.users.update(actor, id, profile);
    if (status === 'suspended' && before !== status) await writer.users.suspend(actor, id, 'offboarding');
    if (status !== 'suspended' && before === 'suspended') await writer.users.reinstate(actor, id, 'offboarding');
    if (status !== 'suspended') await writer.users.update(actor, id, { status });
  }

  it.each(userDirectoryContract(makeGround).map(({ title, run }) => [title, run] as const))('%s', (_, run) => run());
});
