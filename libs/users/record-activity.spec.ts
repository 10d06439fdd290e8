import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operatorActor } from '#access';
import { UserDirectory } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { startTestApp, type TestApp } from '../../test/support/test-app.js';
import { UserService } from './user.service.js';

describe('the time of last activity', () => {
  let test: TestApp;
  let orgId: string;

  beforeAll(async () => {
    test = await startTestApp();
  });

  beforeEach(async () => {
    orgId = (await test.addOrganization()).orgId;
  });

  afterAll(() => test.close());

  function usersOf(count: number): Promise<string[]> {
    const people = Array.from({ length: count }, (_, n) => ({ email: `person${n}@example.com` }));
    return test.app.get(UserService).ensureMany(operatorActor(orgId), people);
  }

  function record(...entries: [string, Date][]): Promise<void> {
    const directory = test.app.get(UserDirectory);
    const database = test.app.get(OrgDatabase);
    return database.transaction(orgId, em => directory.recordActivity(sqlOf(em), orgId, new Map(entries)));
  }

  async function lastActive(id: string): Promise<string | undefined> {
    return (await test.app.get(UserService).get(orgId, id)).lastActiveAt?.toISOString();
  }

  const at = (time: string) => new Date(`2026-11-20T${time}.000Z`);

  it('is null if none is recorded, and otherwise the latest time, in whatever order times arrive', async () => {
    const [ada = '', bob = ''] = await usersOf(2);
    expect(await lastActive(ada)).toBeUndefined();
    await record([bob, at('10:00:00')], [ada, at('11:00:00')], [randomUUID(), at('11:00:00')]);
    await record([ada, at('10:30:00')], [bob, at('10:30:00')]);
    await record();
    expect(await lastActive(ada)).toBe('2026-11-20T11:00:00.000Z');
    expect(await lastActive(bob)).toBe('2026-11-20T10:30:00.000Z');
  });

  it('raises no change mark, because no decision depends on it', async () => {
    const [ada = ''] = await usersOf(1);
    const marks = () => test.database.asOwner('select * from governance.change_marks where org_id = $1', [orgId]);
    const before = await marks();
    await record([ada, at('10:00:00')]);
    expect(await marks()).toEqual(before);
  });

  it('is written by overlapping batches without deadlock, and the latest wins', async () => {
    const ids = await usersOf(200);
    const batches = Array.from({ length: 24 }, (_, n) => {
      const order = n % 2 === 0 ? ids : ids.toReversed();
      return order.map((id): [string, Date] => [id, new Date(Date.UTC(2026, 10, 20, 10, (n * 7) % 24))]);
    });
    await Promise.all(batches.map(batch => record(...batch)));
    const rows = await test.database.asOwner<{ at: Date }>(
      'select distinct last_active_at as at from governance.users where org_id = $1',
      [orgId],
    );
    expect(rows.map(row => row.at.toISOString())).toEqual(['2026-11-20T10:23:00.000Z']);
  });
});
