import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { startReplica, type Replica } from '../testing/replica.js';

const CROSSING = [
  ...['claim_tasks', 'keep_partitions', 'next_tasks'],
  ...['quarantined_tasks', 'queues_with_dead_letters', 'release_tasks', 'renew_tasks'],
  'task_backlog',
];

describe('the functions that see every organization', () => {
  let tests: TestDatabase;
  let replica: Replica;
  let app: pg.Client;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    replica = await startReplica(tests.url, []);
    const url = new URL(tests.url);
    url.searchParams.set('options', '-c role=governance_app');
    app = new pg.Client({ connectionString: url.href });
    await app.connect();
  });

  afterAll(async () => {
    await app.end();
    await replica.stop();
    await tests.drop();
  });

  it('may be called only by the app’s role', async () => {
    const rows = await tests.asOwner<{ name: string; app: boolean; everybody: boolean }>(
      `select p.proname as name, has_function_privilege('governance_app', p.oid, 'execute') as app,
         exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as everybody
       from pg_proc p where p.pronamespace = 'governance'::regnamespace and p.proname = any($1) order by 1`,
      [[...CROSSING, 'first_id_of', 'now']],
    );
    expect(rows.filter(row => row.everybody)).toEqual([]);
    expect(rows.filter(row => row.app).map(row => row.name)).toEqual([...CROSSING, 'first_id_of', 'now'].toSorted());
  });

  it('find their tables whatever the caller’s search path is', async () => {
    const rows = await tests.asOwner<{ name: string; fixed: boolean }>(
      `select proname as name, exists (select from unnest(proconfig) c where c like 'search_path=pg_catalog%') as fixed
       from pg_proc where pronamespace = 'governance'::regnamespace and prosecdef and proname = any($1)`,
      [CROSSING],
    );
    expect(rows.map(row => row.name).toSorted()).toEqual(CROSSING);
    expect(rows.every(row => row.fixed)).toBe(true);
  });

  it('return only the fields of tasks that a worker needs: ids, times and the subject, no error and no content', async () => {
    const orgId = randomUUID();
    await replica.add(orgId, 'queue', 'k');
    expect((await app.query('select 1 from governance.tasks')).rowCount).toBe(0);
    const { rows, fields } = await app.query(`select * from governance.claim_tasks('queue', 10, 10, '{}', 1000)`);
    expect(rows).toMatchObject([{ org_id: orgId, key: 'k', subject: {} }]);
    expect(fields.map(field => field.name)).toEqual([
      'org_id',
      'id',
      'key',
      'attempt',
      'interruptions',
      'interrupted_at',
      'subject',
      'lease_token',
      'was_due',
      'cut_short',
    ]);
  });

  it('are the only way for the app to change a task of another organization', async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    await replica.add(theirs, 'another', 'k');
    await app.query('begin');
    await app.query(`select set_config('governance.org_id', $1, true)`, [mine]);
    expect((await app.query('delete from governance.tasks where org_id = $1', [theirs])).rowCount).toBe(0);
    expect((await app.query('update governance.tasks set attempt = 9 where org_id = $1', [theirs])).rowCount).toBe(0);
    await app.query('rollback');
  });

  it('run as a role that may only change leases of tasks', async () => {
    const columns = await tests.asOwner<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'governance.tasks'::regclass and attnum > 0
         and has_column_privilege('governance_lookup', attrelid, attnum, 'update') order by 1`,
    );
    expect(columns.map(column => column.name)).toEqual(['due_at', 'interrupted_at', 'interruptions', 'lease_token']);
  });
});
