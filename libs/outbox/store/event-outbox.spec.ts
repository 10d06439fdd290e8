import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOrm, OrgDatabase, sqlOf } from '#database';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { EVENT_CATALOGUE } from '../events/index.js';
import { EventOutbox, type FiredEvent, type NewEvent } from './event-outbox.js';
import { readEvents } from './event-reader.js';

/** The catalogue's example of an event, with a text that PostgreSQL's JSON columns refuse. */
const EVENT = {
  type: 'policy_violation',
  data: { ...EVENT_CATALOGUE[0]!.example.data, model: 'gpt\0\uD800é' },
} as NewEvent;

describe('the outbox of events', () => {
  let tests: TestDatabase;
  let database: OrgDatabase;
  const orgId = randomUUID();
  const clock = new ManualClock();

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    database = new OrgDatabase(await openOrm({ url: tests.url }, []));
  });

  afterAll(async () => {
    await database.close();
    await tests.drop();
  });

  const stored = (id?: string): Promise<{ body: Buffer; created_at: Date; type: string }[]> =>
    tests.asOwner('select body, created_at, type from governance.events where id = $1', [id]);

  it('stores the exact bytes to be sent, whatever they contain', async () => {
    const outbox = new EventOutbox(clock);
    const [fired] = await database.transaction(orgId, em => outbox.fire(em, orgId, [EVENT]));
    expect(await stored(fired?.id)).toEqual([{ body: fired?.body, created_at: clock.now(), type: 'policy_violation' }]);
    expect(JSON.parse(fired!.body.toString('utf8'))).toEqual({
      id: fired!.wireId,
      type: 'policy_violation',
      created_at: clock.now().toISOString(),
      org_id: orgId,
      data: EVENT.data,
    });
    const read = await database.transaction(orgId, em => readEvents(em, orgId, [fired!.id, fired!.id, randomUUID()]));
    expect([...read.values()]).toEqual([{ id: fired!.id, type: 'policy_violation', body: fired!.body }]);
  });

  it('calls consumers in the same transaction', async () => {
    const outbox = new EventOutbox(clock);
    const seen: [string, number, readonly FiredEvent[]][] = [];
    outbox.addConsumer({
      async accept(em, org, events) {
        const rows = await sqlOf(em).query('select 1 from governance.events where id = $1', [events[0]?.id]);
        seen.push([org, rows.length, events]);
      },
    });
    const fired = await database.transaction(orgId, em => outbox.fire(em, orgId, [EVENT, EVENT]));
    expect(seen).toEqual([[orgId, 1, fired]]);
    expect(await stored(fired[1]?.id)).toHaveLength(1);
  });

  it('stores no event if the change, or a consumer, fails', async () => {
    const outbox = new EventOutbox(clock);
    let fired: FiredEvent[] = [];
    const change = database.transaction(orgId, async em => {
      fired = await outbox.fire(em, orgId, [EVENT]);
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect(await stored(fired[0]?.id)).toEqual([]);
    outbox.addConsumer({
      accept(_em, _org, events) {
        fired = [...events];
        return Promise.reject(new Error('neither'));
      },
    });
    await expect(database.transaction(orgId, em => outbox.fire(em, orgId, [EVENT]))).rejects.toThrow('neither');
    expect(await stored(fired[0]?.id)).toEqual([]);
  });

  it('notifies nobody of an event that is only stored', async () => {
    const outbox = new EventOutbox(clock);
    outbox.addConsumer({ accept: () => Promise.reject(new Error('told')) });
    const [event] = await database.transaction(orgId, em => outbox.store(em, orgId, [EVENT]));
    expect(await stored(event?.id)).toHaveLength(1);
  });

  it('calls no consumer for an unchanged state', async () => {
    const outbox = new EventOutbox(clock);
    outbox.addConsumer({ accept: () => Promise.reject(new Error('told')) });
    expect(await database.transaction(orgId, em => outbox.fire(em, orgId, []))).toEqual([]);
  });

  it('refuses to work outside a transaction, with the remedy', async () => {
    const outbox = new EventOutbox(clock);
    const em = database.orm.em.fork();
    for (const events of [[EVENT], []]) {
      await expect(outbox.fire(em, orgId, events)).rejects.toThrow('pass the EntityManager of a transaction');
    }
  });

  it('refuses events of an organization other than the transaction’s', async () => {
    const outbox = new EventOutbox(clock);
    const foreign = database.transaction(orgId, em => outbox.fire(em, randomUUID(), [EVENT]));
    await expect(foreign).rejects.toThrow('row-level security');
  });
});
