import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { MIGRATIONS } from '#governance';
import { startTcpProxy } from '../../test/support/tcp-proxy.js';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-postgres.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { countRows, EXACT_COUNT_LIMIT, LongListCounts } from './keyset/counting.js';
import { migrate, pendingMigrations } from './migrate.js';
import { openOrm, ormOptions } from './orm.js';
import { ResilientClient } from './resilient-client.js';
import { OrgDatabase } from './org-database.js';
import { sqlOf } from './sql-transaction.js';

/** A server that reads the first request of a connection and then closes the connection. */
function startupParameters(): { port: Promise<number>; parameters: Promise<Record<string, string>> } {
  const server = createServer();
  const parameters = new Promise<Record<string, string>>(resolve =>
    server.once('connection', socket =>
      socket.once('data', message => {
        // In protocol 3, the length and the version come first, followed by names and values, each ended by a zero
        // byte.
        const texts = message.subarray(8).toString().split('\0');
        const pairs = texts.flatMap((name, at) => (at % 2 === 0 && name !== '' ? [[name, texts[at + 1] ?? '']] : []));
        resolve(Object.fromEntries(pairs) as Record<string, string>);
        socket.destroy();
        server.close();
      }),
    ),
  );
  const port = new Promise<number>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
  return { port, parameters };
}

describe('migrations', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  it('run once, also when replicas start together', async () => {
    const query = (sql: string): Promise<object[]> => database.asOwner(sql);
    expect(await pendingMigrations(query, MIGRATIONS)).toEqual(MIGRATIONS.map(migration => migration.name));
    const runs = await Promise.all(Array.from({ length: 3 }, () => migrate({ url: database.url }, MIGRATIONS)));
    expect(runs.map(names => names.length).toSorted((a, b) => a - b)).toEqual([0, 0, MIGRATIONS.length]);
    expect(await pendingMigrations(query, MIGRATIONS)).toEqual([]);
  });
});

describe('the rights that migrations need', () => {
  const role = `operator_${randomUUID().slice(0, 8)}`;
  let database: TestDatabase;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const own = new URL(database.url);
    await database.asOwner(`create role ${role} login password 'secret' createrole`);
    await database.asOwner(`alter database ${own.pathname.slice(1)} owner to ${role}`);
    own.username = role;
    own.password = 'secret';
    url = own.href;
  });

  afterAll(async () => {
    await database.drop();
  });

  it('are not those of a superuser: without the roles and without CREATEROLE, the error says what an administrator does', async () => {
    await database.asOwner(`alter role ${role} nocreaterole`);
    await expect(migrate({ url }, MIGRATIONS)).rejects.toThrow(
      /governance_app.*may not (take the role|create roles)|may not take the role governance_app/,
    );
  });

  it('are sufficient if an administrator has granted the two roles', async () => {
    const [server] = await database.asOwner<{ is_new: boolean }>(
      `select current_setting('server_version_num')::int >= 160000 as is_new`,
    );
    const how = server?.is_new ? ' with inherit false, set true' : '';
    await database.asOwner(`grant governance_app, governance_lookup to ${role}${how}`);
    expect(await migrate({ url }, MIGRATIONS)).toHaveLength(MIGRATIONS.length);
    const orm = await openOrm({ url }, []);
    const [row] = await new OrgDatabase(orm).global<{ role: string }>('select current_user as role');
    expect(row?.role).toBe('governance_app');
    await orm.close(true);
  });
});

describe('connections', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });

  afterAll(() => database.drop());

  it('work as the restricted role, also if the URL has its own options', async () => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c statement_timeout=9000');
    const orm = await openOrm({ url: url.href }, []);
    const [row] = await new OrgDatabase(orm).global(
      `select current_user as role, current_setting('statement_timeout') as timeout`,
    );
    expect(row).toEqual({ role: 'governance_app', timeout: '9s' });
    await orm.close(true);
  });

  it('are returned to the pool if the server closes one in the middle of a transaction', async () => {
    const orm = await openOrm({ url: database.url, poolSize: 1 }, []);
    const governed = new OrgDatabase(orm);
    for (let attempt = 0; attempt < 3; attempt++) {
      const cut = governed.transaction(randomUUID(), async em => {
        const [row] = await sqlOf(em).query<{ pid: number }>('select pg_backend_pid() as pid');
        await database.asOwner('select pg_terminate_backend($1)', [row?.pid]);
        await sqlOf(em).query('select 1');
      });
      await expect(cut).rejects.toBeInstanceOf(Error);
      expect(await governed.global('select 1 as one')).toEqual([{ one: 1 }]);
    }
    await orm.close(true);
  });

  it('are returned to the pool if a transaction cannot begin, and nothing runs outside it', async () => {
    const { port, hostname } = new URL(database.url);
    const proxy = await startTcpProxy(Number(port), hostname);
    const url = new URL(database.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const orm = await openOrm({ url: url.href, poolSize: 1, queryTimeoutMs: 200 }, []);
    const governed = new OrgDatabase(orm);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await governed.global('select 1 as one')).toEqual([{ one: 1 }]);
      proxy.freeze();
      let hasRun = false;
      const work = async (): Promise<void> => void (hasRun = true);
      await expect(governed.transaction(randomUUID(), work)).rejects.toThrow('not queryable');
      expect(hasRun).toBe(false);
      proxy.cut();
      proxy.thaw();
    }
    await orm.close(true);
    await proxy.close();
  });

  it('run no statement after any failed BEGIN', async () => {
    const client = new ResilientClient({ connectionString: database.url });
    await client.connect();
    const query = (text: string): Promise<unknown> => client.query(text);
    await query('begin nonsense');
    await expect(query('create table outside (id int)')).rejects.toThrow('not queryable');
  });

  it('are closed together with a query that gets no answer', async () => {
    const { port, hostname } = new URL(database.url);
    const proxy = await startTcpProxy(Number(port), hostname);
    const url = new URL(database.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const orm = await openOrm({ url: url.href, poolSize: 1, queryTimeoutMs: 200 }, []);
    const governed = new OrgDatabase(orm);
    expect(await governed.global('select 1 as one')).toEqual([{ one: 1 }]);
    proxy.freeze();
    await expect(governed.global('select 1 as one')).rejects.toThrow('Query read timeout');
    proxy.cut();
    proxy.thaw();
    expect(await governed.global('select 1 as one')).toEqual([{ one: 1 }]);
    await orm.close(true);
    await proxy.close();
  });

  describe('with a time limit for statements', () => {
    const SLOW = 'select pg_sleep(30)';
    const settings = `select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout`;
    let orm: Awaited<ReturnType<typeof openOrm>>;
    let governed: OrgDatabase;

    beforeAll(async () => {
      orm = await openOrm({ url: database.url, poolSize: 1, queryTimeoutMs: 300 }, []);
      governed = new OrgDatabase(orm);
    });

    afterAll(() => orm.close(true));

    it('stay open if the server cancels a slow statement, and the statement has ended', async () => {
      const before = await governed.global(settings);
      await expect(governed.global(SLOW)).rejects.toMatchObject({ code: '57014' });
      const slow = governed.transaction(randomUUID(), em => sqlOf(em).query(SLOW));
      await expect(slow).rejects.toMatchObject({ code: '57014' });
      expect(await governed.global(settings)).toEqual(before);
      const going = `select pid from pg_stat_activity where query = $1 and state = 'active' and pid <> pg_backend_pid()`;
      expect(await database.asOwner(going, [SLOW])).toEqual([]);
    });

    it('use a separate limit for long work, until its transaction ends', async () => {
      const long = { timeoutMs: 60_000 };
      const sleep = (em: EntityManager) =>
        sqlOf(em).query(`select pg_sleep(1.5), current_setting('statement_timeout')`);
      const ofLong = [expect.objectContaining({ current_setting: '1min' })];
      expect(await governed.snapshot(randomUUID(), sleep, long)).toEqual(ofLong);
      expect(await governed.transaction(randomUUID(), sleep, long)).toEqual(ofLong);
      expect(await governed.upkeep(`select pg_sleep(1.5), current_setting('statement_timeout')`)).toEqual([
        expect.objectContaining({ current_setting: '10min' }),
      ]);
      expect(await governed.global(settings)).toEqual([expect.objectContaining({ timeout: '300ms' })]);
      await expect(governed.global(SLOW)).rejects.toMatchObject({ code: '57014' });
    });
  });

  it('have 10 seconds for a statement, and an hour for migrations, whatever is set for the role of the URL', async () => {
    const role = `bounded_${randomUUID().slice(0, 8)}`;
    await database.asOwner(`create role ${role} login superuser password 'secret'`);
    await database.asOwner(`alter role ${role} set statement_timeout = '5ms'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'secret';
    const bounds = [openOrm({ url: url.href }, []), MikroORM.init(ormOptions({ url: url.href }, [], null))];
    const timeouts = bounds.map(async opening => {
      const orm = await opening;
      const [row] = await new OrgDatabase(orm).global(`select current_setting('statement_timeout') as timeout`);
      await orm.close(true);
      return row;
    });
    expect(await Promise.all(timeouts)).toEqual([{ timeout: '10s' }, { timeout: '1h' }]);
    await database.asOwner(`drop role ${role}`);
  });

  it('send poolers no startup parameter but options, which they forward', async () => {
    const asked = startupParameters();
    const url = `postgres://u:p@127.0.0.1:${await asked.port}/d`;
    const orm = await openOrm({ url }, []);
    await expect(new OrgDatabase(orm).global('select 1')).rejects.toBeInstanceOf(Error);
    expect(Object.keys(await asked.parameters).toSorted()).toEqual([
      'application_name',
      'client_encoding',
      'database',
      'options',
      'user',
    ]);
    await orm.close(true);
  });

  it('run work of one name on one replica at a time', async () => {
    const orms = await Promise.all([openOrm({ url: database.url }, []), openOrm({ url: database.url }, [])]);
    const log: string[] = [];
    const work = async (name: string): Promise<void> => {
      log.push(`${name} begins`);
      await new Promise(done => setTimeout(done, 100));
      log.push(`${name} ends`);
    };
    await Promise.all(orms.map((orm, at) => new OrgDatabase(orm).exclusively('x', () => work(String(at)))));
    const [first = ''] = log;
    const [a, b] = first.startsWith('0') ? ['0', '1'] : ['1', '0'];
    expect(log).toEqual([`${a} begins`, `${a} ends`, `${b} begins`, `${b} ends`]);
    await Promise.all(orms.map(orm => orm.close(true)));
  });

  it('count exactly up to a limit and estimate beyond', async () => {
    const orm = await openOrm({ url: database.url }, []);
    await new OrgDatabase(orm).transaction(randomUUID(), async em => {
      const series = 'select n from generate_series(1, $1::int) n';
      expect(await countRows(sqlOf(em), series, [EXACT_COUNT_LIMIT])).toBe(EXACT_COUNT_LIMIT);
      expect(await countRows(sqlOf(em), series, [EXACT_COUNT_LIMIT + 1])).toBeGreaterThan(EXACT_COUNT_LIMIT);
    });
    await orm.close(true);
  });
});

describe('counts of long lists', () => {
  it('run once a minute, and exact counts every time', async () => {
    const clock = new ManualClock();
    const counts = new LongListCounts(clock);
    let made = 0;
    const count = async (rows: number): Promise<number> => {
      made++;
      return rows;
    };
    for (let request = 0; request < 3; request++) await counts.of('short', () => count(EXACT_COUNT_LIMIT));
    expect(made).toBe(3);
    for (let request = 0; request < 3; request++) await counts.of('long', () => count(EXACT_COUNT_LIMIT + 1));
    expect(made).toBe(4);
    clock.advance(60_000);
    expect(await counts.of('long', () => count(20_000))).toBe(20_000);
    expect(made).toBe(5);
  });

  it('run once per version if the version is known, including exact counts', async () => {
    const clock = new ManualClock();
    const counts = new LongListCounts(clock);
    let made = 0;
    const count = (): Promise<number> => Promise.resolve(++made);
    expect([await counts.of('list', count, 1), await counts.of('list', count, 1)]).toEqual([1, 1]);
    expect([await counts.of('list', count, 2), await counts.of('list', count)]).toEqual([2, 3]);
    expect(await counts.of('list', count, 2)).toBe(4);
    clock.advance(60_000);
    expect(await counts.of('list', count, 2)).toBe(5);
  });

  it('are cached for a limited number of lists', async () => {
    const counts = new LongListCounts(new ManualClock());
    let made = 0;
    for (let list = 0; list < 1_001; list++) await counts.of(String(list), () => Promise.resolve(99_999));
    await counts.of('0', () => Promise.resolve((made += 99_999)));
    expect(made).toBe(99_999);
  });
});
