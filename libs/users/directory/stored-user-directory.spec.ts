import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor, type Actor } from '#access';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { createUsersDatabase, startUsersReplica, type UsersReplica } from '../../../test/support/users-replica.js';

const POLL_MS = 20;

describe('the directory of stored users', () => {
  let test: TestDatabase;
  const replicas: UsersReplica[] = [];
  let actor: Actor;
  let orgId: string;

  async function startReplica(url = test.url): Promise<UsersReplica> {
    const replica = await startUsersReplica(url, { listen: false, pollIntervalMs: POLL_MS });
    replicas.push(replica);
    return replica;
  }

  function create(replica: UsersReplica, email: string, department: string | null = null) {
    return replica.users.create(actor, { email, name: email, department, role: 'member', attributes: {} });
  }

  async function emailSeenBy(replica: UsersReplica, id: string): Promise<string | undefined> {
    return (await replica.directory.find(orgId, [{ user_id: id }]))[0]?.email;
  }

  /** Other replicas must see a change within one second. The second one allows for a machine whose cores are busy. */
  async function within1s(check: () => Promise<void>): Promise<void> {
    const end = Date.now() + 2_000;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise(resolve => setTimeout(resolve, POLL_MS));
      }
    }
  }

  beforeAll(async () => {
    test = await createUsersDatabase();
  });

  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.stop();
  });

  afterAll(() => test.drop());

  async function newOrganization(): Promise<void> {
    orgId = randomUUID();
    actor = operatorActor(orgId);
  }

  it('finds users by id and by email address without case, each at its index', async () => {
    await newOrganization();
    const here = await startReplica();
    const ada = await create(here, 'Ada@Example.com', 'Engineering');
    const found = await here.directory.find(orgId, [
      { user_email: 'aDA@example.COM' },
      { user_id: randomUUID() },
      { user_id: ada.id },
      { user_id: ada.id.toUpperCase() },
      {},
    ]);
    expect(found.map(user => user?.id)).toEqual([ada.id, undefined, ada.id, ada.id, undefined]);
    expect(found[0]).toEqual({
      id: ada.id,
      email: 'Ada@Example.com',
      name: 'Ada@Example.com',
      department: 'Engineering',
      role: 'member',
      status: 'active',
      attributes: {},
    });
  });

  it('shows a change on this replica at once', async () => {
    await newOrganization();
    const here = await startReplica();
    const ada = await create(here, 'ada@example.com');
    await here.directory.find(orgId, []);
    await here.users.suspend(actor, ada.id, 'offboarding');
    const [user] = await here.directory.find(orgId, [{ user_id: ada.id }]);
    expect(user?.status).toBe('suspended');
  });

  it('shows changes of another replica within a second, without notifications', async () => {
    await newOrganization();
    const [here, there] = [await startReplica(), await startReplica()];
    const ada = await create(here, 'ada@example.com');
    expect(await emailSeenBy(there, ada.id)).toBe('ada@example.com');

    const bob = await create(here, 'bob@example.com');
    await here.users.suspend(actor, ada.id, 'offboarding');
    await here.users.update(actor, ada.id, { attributes: { level: 7 }, department: 'Finance' });
    await within1s(async () => {
      const [first, second] = await there.directory.find(orgId, [{ user_id: ada.id }, { user_id: bob.id }]);
      expect(first).toMatchObject({ status: 'suspended', attributes: { level: 7 }, department: 'Finance' });
      expect(second).toMatchObject({ email: 'bob@example.com' });
    });
  });

  it('resolves an address only to its new owner', async () => {
    await newOrganization();
    const [here, there] = [await startReplica(), await startReplica()];
    const ada = await create(here, 'shared@example.com');
    const bob = await create(here, 'bob@example.com');
    await there.directory.find(orgId, []);
    await here.users.update(actor, ada.id, { email: 'ada@example.com' });
    await here.users.update(actor, bob.id, { email: 'SHARED@example.com' });
    await here.users.update(actor, ada.id, { name: 'Ada' });
    await within1s(async () => {
      const references = ['shared@example.com', 'ada@example.com', 'bob@example.com'].map(user_email => ({
        user_email,
      }));
      const found = await there.directory.find(orgId, references);
      expect(found.map(user => user?.id)).toEqual([bob.id, ada.id, undefined]);
      expect(found[1]?.name).toBe('Ada');
    });
  });

  it('misses no change that commits while the organization is being read', async () => {
    await newOrganization();
    const [here, there] = [await startReplica(), await startReplica()];
    await here.users.ensureMany(actor, people(0, 6_000));
    const reading = there.directory.find(orgId, []);
    const created = await Promise.all([1, 2, 3].map(n => create(here, `late${n}@example.com`)));
    await reading;
    await within1s(async () => {
      const found = await there.directory.find(
        orgId,
        created.map(user => ({ user_id: user.id })),
      );
      expect(found.map(user => user?.email)).toEqual(created.map(user => user.email));
    });
  });

  it('supports more users than one read returns, and more changes, too', async () => {
    await newOrganization();
    const [here, there] = [await startReplica(), await startReplica()];
    const first = await here.users.ensureMany(actor, people(0, 6_000));
    expect((await there.directory.emails(orgId, first)).size).toBe(6_000);
    // A single change comes first, so that a batch of 1,000 changes is not aligned with the calls below.
    await there.changes.stop();
    await create(here, 'alone@example.com');
    const second = await here.users.ensureMany(actor, people(6_000, 12_000));
    await there.changes.refresh();
    expect((await there.directory.emails(orgId, second)).size).toBe(6_000);
  });

  it('reads an organization once for concurrent callers', async () => {
    await newOrganization();
    const here = await startReplica();
    let transactions = 0;
    const transaction = here.database.transaction.bind(here.database);
    here.database.transaction = (org, work) => {
      transactions++;
      return transaction(org, work);
    };
    await Promise.all(Array.from({ length: 20 }, () => here.directory.find(orgId, [])));
    expect(transactions).toBe(1);
  });

  it('throws while the database cannot be read, instead of finding no user, and recovers', async () => {
    await newOrganization();
    const here = await startReplica();
    const ada = await create(here, 'ada@example.com');
    await test.asOwner('alter table governance.users rename to users_away');
    try {
      const attempts = await Promise.allSettled([emailSeenBy(here, ada.id), here.directory.emails(orgId, [ada.id])]);
      expect(attempts.map(attempt => attempt.status)).toEqual(['rejected', 'rejected']);
    } finally {
      await test.asOwner('alter table governance.users_away rename to users');
    }
    expect(await emailSeenBy(here, ada.id)).toBe('ada@example.com');
  });

  it('gets missed changes after a failed refresh', async () => {
    await newOrganization();
    const [here, there] = [await startReplica(), await startReplica()];
    const ada = await create(here, 'ada@example.com');
    expect(await emailSeenBy(there, ada.id)).toBe('ada@example.com');
    await here.users.suspend(actor, ada.id, 'offboarding');
    const transaction = there.database.transaction.bind(there.database);
    let failures = 0;
    there.database.transaction = () => Promise.reject(new Error(`no connection ${++failures}`));
    await here.users.reinstate(actor, ada.id, 'offboarding');
    await here.users.suspend(actor, ada.id, 'scim');
    await within1s(async () => expect(failures).toBeGreaterThan(0));
    there.database.transaction = transaction;
    await within1s(async () => {
      const [user] = await there.directory.find(orgId, [{ user_id: ada.id }]);
      expect(user?.status).toBe('suspended');
    });
  });

  it('separates the users of organizations', async () => {
    await newOrganization();
    const here = await startReplica();
    const ada = await create(here, 'ada@example.com');
    const foreign = await here.directory.find(randomUUID(), [{ user_id: ada.id }, { user_email: 'ada@example.com' }]);
    expect(foreign).toEqual([undefined, undefined]);
  });
});

function people(from: number, to: number): { email: string }[] {
  return Array.from({ length: to - from }, (_, n) => ({ email: `person${from + n}@example.com` }));
}
