import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MIGRATIONS, type ForRootOptions } from '#governance';
import { prepareSchema } from '../../libs/governance/prepare-schema.js';
import { HAS_POSTGRES_15, startPostgres15 } from '../support/debian-postgres.js';
import { describeWhere } from '../support/describe-where.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { until } from '../support/webhooks.js';
import { dumpOf, restore, type Dump } from './dump.js';
import { changesSince, checksumsOf } from './released-migrations.js';
import { FAILING, Throwaway, THROWAWAY } from './throwaway-migration.js';

/**
 * The migrations of the next version: in this test, the version of this repository is the released one, and the next
 * version has one more migration.
 */
const NEXT = [...MIGRATIONS, THROWAWAY];
const SERVERS = [
  { version: '18', isThere: true },
  { version: '15', isThere: HAS_POSTGRES_15 },
];
const PATIENT = { decisions: { unknownUser: 'evaluate' } } satisfies Partial<ForRootOptions>;
/** Matches no request. Matching policies would add thousands of entries to every decision record. */
const NEEDLESS = { name: 'While', action: 'alert', model: 'none' };
const REQUEST = { user_email: 'ada@example.com', model: 'gpt-4o', provider: 'openai' };

for (const { version, isThere } of SERVERS) {
  describeWhere(!isThere && `no PostgreSQL ${version}`, `the next version on PostgreSQL ${version}`, () => {
    const ofRun = process.env['TEST_POSTGRES_URL'];
    let stop: () => Promise<void> = async () => undefined;
    let released: Dump;
    let orgId: string;
    let database: TestDatabase;

    beforeAll(async () => {
      if (version === '15') {
        const server = await startPostgres15();
        process.env['TEST_POSTGRES_URL'] = server.url;
        stop = () => server.stop();
      }
      const source = await createTestDatabase();
      const app = await startTestApp({ ...PATIENT, testDatabase: source });
      orgId = app.orgId;
      await fill(app);
      await app.close();
      released = await dumpOf(source);
      await source.drop();
      database = await createTestDatabase();
      await restore(released, database, MIGRATIONS);
    });

    afterAll(async () => {
      await database?.drop();
      await stop();
      process.env['TEST_POSTGRES_URL'] = ofRun;
    });

    const open = (): Promise<TestApp> => startTestApp({ ...PATIENT, testDatabase: database, orgId });
    const prepare = (migrations: 'run' | 'check', all = NEXT): Promise<void> =>
      prepareSchema({ url: database.url, migrations }, all, {});
    const migrated = async (): Promise<string[]> => (await dumpOf(database)).migrations;

    it('refuses to start in check mode, and names the missing migrations', async () => {
      await expect(prepare('check')).rejects.toThrow(/lacks 1 migrations \(0998_throwaway\)\. Run `npx .* migrate`/);
      expect(await dumpOf(database)).toEqual(released);
    });

    it('does not change the data of the released version if one of its migrations fails', async () => {
      await expect(prepare('run', [...NEXT, FAILING])).rejects.toThrow('division by zero');
      // Ignores sequences, because PostgreSQL never rolls them back.
      expect({ ...(await dumpOf(database)), sequences: [] }).toEqual({ ...released, sequences: [] });
      const app = await open();
      expect((await app.call('POST', '/v1/decisions', REQUEST)).status).toBe(200);
      await app.close();
      // Dumps the database again, because the start of the app has created a token.
      released = await dumpOf(database);
    });

    it('migrates every row under load, and two replicas are replaced in turn without an error', async () => {
      const living = [await open(), await open()];
      const over = new AbortController();
      const answers: string[] = [];
      const turns = [0, 0];
      const clients = turns.map(async (_, client) => {
        while (!over.signal.aborted) {
          const app = living[(turns[client] ?? 0) % living.length];
          if (app === undefined) throw new Error('no replica is left');
          answers.push(answerOf(await app.call('POST', '/v1/decisions', REQUEST)));
          answers.push(answerOf(await app.call('POST', '/v1/policies', NEEDLESS)));
          turns[client] = (turns[client] ?? 0) + 1;
        }
      });
      /** Waits until each client has sent requests to each replica. Earlier requests do not count. */
      const untilAsked = async (): Promise<void> => {
        const before = [...turns];
        await until(async () => turns.every((turn, client) => turn > (before[client] ?? 0) + living.length));
      };
      await untilAsked();
      await prepare('run');
      await untilAsked();
      for (const old of [...living]) {
        living.splice(living.indexOf(old), 1);
        await untilAsked();
        await old.close();
        await prepare('check');
        living.push(await open());
        await untilAsked();
      }
      over.abort();
      await Promise.all(clients);
      expect(new Set(answers)).toEqual(new Set(['200', '201']));
      for (const app of living) await app.close();

      expect(await migrated()).toEqual(NEXT.map(({ name }) => name));
      const after = await dumpOf(database);
      for (const { name, count } of released.tables) {
        const found = after.tables.find(table => table.name === name)?.count ?? 0;
        expect({ name, kept: found >= count }).toEqual({ name, kept: true });
      }
      const [notes] = await database.asOwner<{ count: number }>(
        `select count(*)::int as count from governance.policies where throwaway = 'added'`,
      );
      expect(notes?.count).toBeGreaterThan(0);
      await prepare('check');
    });

    it('can be rolled back by starting the released version again, which works with the newer schema', async () => {
      // The released version ignores the newer migration, both with `check` and with `run`.
      await prepare('check', [...MIGRATIONS]);
      const app = await open();
      expect((await app.call('GET', '/health/ready')).status).toBe(200);
      expect(answerOf(await app.call('POST', '/v1/decisions', REQUEST))).toBe('200');
      await app.close();
      expect(await migrated()).toContain(THROWAWAY.name);
    });

    it('can be rolled back by restoring an earlier backup', async () => {
      const restored = await createTestDatabase();
      await restore(released, restored, MIGRATIONS);
      expect(await dumpOf(restored)).toEqual(released);
      await restored.drop();
    });
  });
}

describe('a released migration', () => {
  it('is refused by name if the next version changes, renames or removes it', async () => {
    const frozen = { '0.1.0': await checksumsOf(NEXT) };
    class Edited extends Throwaway {
      override up(): void {
        this.addSql('select 1');
        super.up();
      }
    }
    const edited = await checksumsOf([...MIGRATIONS, { ...THROWAWAY, class: Edited }]);
    expect(changesSince(frozen, edited)).toEqual([
      '0998_throwaway has other statements since 0.1.0. Databases have run it: put it back, and add a migration instead.',
    ]);
    for (const others of [MIGRATIONS, [...MIGRATIONS, { ...THROWAWAY, name: '0998_renamed' }]]) {
      expect(changesSince(frozen, await checksumsOf(others))).toEqual([
        expect.stringMatching('0998_throwaway is gone'),
      ]);
    }
    expect(changesSince(frozen, await checksumsOf([...NEXT, FAILING]))).toEqual([]);
  });
});

/** A user, policies, a webhook and usage. */
async function fill({ call, clock }: TestApp): Promise<void> {
  const expectOk = async (method: string, path: string, body: object): Promise<void> => {
    const { status, text } = await call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  await expectOk('POST', '/v1/users', { email: REQUEST.user_email, name: 'Ada' });
  await expectOk('POST', '/v1/policies', { name: 'Watch', action: 'alert', model: 'gpt-5' });
  const budget = { name: 'All', scope: 'organization', amount_usd: 1000, period: 'monthly', enforcement: 'notify' };
  await expectOk('POST', '/v1/budgets', budget);
  await expectOk('POST', '/v1/webhooks', { url: 'https://hooks.example.com/', enabled: false });
  await expectOk('POST', '/v1/decisions', { ...REQUEST, idempotency_key: 'kept' });
  const event = { ...REQUEST, id: 'event', occurred_at: clock.now().toISOString() };
  await expectOk('POST', '/v1/usage/events', { events: [{ ...event, input_tokens: 10, output_tokens: 1 }] });
}

/** The status, and the app's error message. */
function answerOf({ status, text }: Answer): string {
  return status < 300 ? String(status) : `${status} ${text}`;
}
