import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createMigratedDatabase } from '../support/migrated-database.js';
import type { TestDatabase } from '../support/test-postgres.js';

/**
 * Functions that the app's role may call and that run with the rights of another role. Each entry says why the function
 * does not help an attacker who runs SQL as the app. A new function needs an entry here.
 */
const READS: Record<string, string> = {
  'access_token_of(hash bytea)': 'needs the hash of a token, and tells no secret',
  'audit_head_key_ids()': 'tells ids of keys, no key',
  'audit_heads_not_under(writing_key text)': 'tells ids of organizations',
  'change_marks_of(orgs uuid[])': 'tells counters of changes',
  'chat_workspaces_of(wanted_platform text, wanted_workspace text)': 'tells ids of the organizations of a workspace',
  'connectors_to_reconcile(kinds text[], before timestamp with time zone, most integer)': 'tells ids and times',
  'dashboard_session_of(hash bytea)': 'needs the hash of a cookie’s secret, and tells the digest of a token, no token',
  'device_authority_org(wanted uuid)': 'tells the organization of an id',
  'device_enrollment_of(hash bytea)': 'needs the hash of a one-time token, and tells no secret',
  'device_org(wanted uuid)': 'tells the organization of an id',
  'expiring_tokens(moment timestamp with time zone, soon timestamp with time zone)': 'tells a count',
  'spent_budgets(moment timestamp with time zone)': 'tells two counts',
  'queues_with_dead_letters()': 'tells kinds of background work',
  'old_audit_logs(keep_days integer, after uuid, most integer)': 'tells ids of organizations',
  'organization_ids()': 'tells ids of organizations',
  'organizations_behind_siem(the_stream text, most integer)': 'tells ids of organizations',
  'siem_backlog(the_stream text)': 'tells counts, ages and the last fault of the stream to the SIEM',
  'organizations_due_an_anchor(hours integer, most integer)': 'tells ids of organizations',
  'organizations_with_abandoned_calls(most integer)': 'tells ids of organizations',
  'organizations_with_expiring_tokens(moment timestamp with time zone)': 'tells ids of organizations',
  'organizations_with_touched_hours(after uuid, most integer)': 'tells ids of organizations',
  'organizations_with_expired_approvals(moment timestamp with time zone, most integer)': 'tells ids of organizations',
  'organizations_with_expired_reservations(most integer)': 'tells ids of organizations',
  'quarantined_tasks()': 'tells counts and faults of background work',
  'secret_key_ids()': 'tells ids of keys, no key',
  'task_backlog()': 'tells counts and ages of background work',
  'supplied_tokens_besides(kept bytea)': 'tells ids of organizations and of tokens',
};
const CHANGES: Record<string, string> = {
  'claim_tasks(the_queue text, want integer, free_of_others integer, free_of jsonb, lease_ms integer)':
    'leases tasks, which any worker of the app does; a lease runs out in ten minutes, and no task is changed or lost',
  'next_tasks(queues text[])': 'reads; it is volatile for the clock, and locks nothing',
  'release_tasks(orgs uuid[], ids uuid[], tokens uuid[], dues timestamp with time zone[])':
    'needs the token of a lease, which only its holder knows',
  'renew_tasks(orgs uuid[], ids uuid[], tokens uuid[], lease_ms integer)':
    'needs the token of a lease, which only its holder knows; the lease runs out in ten minutes',
  'forget_decision_keys(keep_days integer, most integer)': 'keeps what the floor keeps, which the app cannot lower',
  'forget_policy_hits(keep_days integer, most integer)': 'keeps what the floor keeps, which the app cannot lower',
  'forget_webhook_hours(keep_days integer)': 'keeps what the floor keeps, which the app cannot lower',
  'prune_audit_log(keep_days integer, most integer)': 'keeps what the floor keeps, which the app cannot lower',
  'prune_incidents(keep_days integer, most integer)': 'keeps what the floor keeps, which the app cannot lower',
  'prune_tickets(keep_days integer, most integer)': 'keeps what the floor keeps, which the app cannot lower',
  'keep_partitions(tables text[], days_ahead integer, keep_days integer)':
    'keeps what the floor keeps, which the app cannot lower; makes empty partitions for a year at most',
  'keep_usage_partitions(keep_days integer)': 'keeps what the floor keeps, which the app cannot lower',
};
const CHANGING = /\b(insert into|update|delete from|drop|truncate|alter|create|grant|execute format)\b/i;

interface DefinerFunction {
  signature: string;
  body: string;
  everybody: boolean;
  fixed: boolean;
}

describe('functions that the app calls and that run with the rights of another role', () => {
  let tests: TestDatabase;
  let app: pg.Client;
  let functions: DefinerFunction[];

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    const url = new URL(tests.url);
    url.searchParams.set('options', '-c role=governance_app');
    app = new pg.Client({ connectionString: url.href });
    await app.connect();
    functions = await tests.asOwner<DefinerFunction>(
      `select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as signature, p.prosrc as body,
         exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as everybody,
         exists (select from unnest(p.proconfig) c where c like 'search_path=pg_catalog%') as fixed
       from pg_proc p where p.pronamespace = 'governance'::regnamespace and p.prosecdef
         and has_function_privilege('governance_app', p.oid, 'execute')`,
    );
  });

  afterAll(async () => {
    await app?.end();
    await tests?.drop();
  });

  it('are all listed, each with the reason why it is safe', () => {
    const known = Object.keys({ ...READS, ...CHANGES });
    expect(functions.map(({ signature }) => signature).toSorted()).toEqual(known.toSorted());
  });

  it('may be called only by the app, and find their tables whatever the search path is', () => {
    expect(functions.filter(({ everybody, fixed }) => everybody || !fixed)).toEqual([]);
  });

  it('change nothing, except those that are listed as changing', () => {
    const changing = functions.filter(({ body }) => CHANGING.test(body)).map(({ signature }) => signature);
    expect(changing.filter(signature => !(signature in CHANGES))).toEqual([]);
  });

  it('delete no record within the minimum retention, whatever the arguments are', async () => {
    const old = await tests.asOwner<{ id: string; days: number }>(
      `select governance.first_id_of((now() at time zone 'UTC')::date - days) as id, days from unnest(array[2, 29, 89]) days`,
    );
    const org = '0199c2a8-5d07-7a44-93be-4f8e21d06c72';
    for (const { id, days } of old) {
      if (days < 30)
        await tests.asOwner(`insert into governance.events values ($1, $2, 'ping', now(), 'x')`, [org, id]);
      await tests.asOwner('insert into governance.decision_keys values ($1, $2, $3)', [org, id, String(days)]);
      await tests.asOwner(
        `insert into governance.policy_hits values ($1, $2, now() - $3 * interval '1 day', 1, 1, 1, now())`,
        [org, id, days],
      );
      await tests.asOwner(
        `insert into governance.webhook_hours (org_id, webhook_id, hour) values ($1, $2, now() - least($3, 29) * interval '1 day')`,
        [org, id, days],
      );
    }
    const count = async () => {
      const [row] = await tests.asOwner(`select (select count(*)::int from governance.events) as events,
        (select count(*)::int from governance.decision_keys) as keys,
        (select count(*)::int from governance.policy_hits) as hits,
        (select count(*)::int from governance.webhook_hours) as hours`);
      return row;
    };
    const before = await count();
    for (const sql of [
      `select governance.keep_partitions(array['events', 'decisions'], 0, 1)`,
      `select governance.keep_partitions(array['events'], 366, 1)`,
      `select governance.keep_partitions(array['events'], 0, null)`,
      `select governance.keep_partitions(array['usage_events'], 0, 1)`,
      `select governance.keep_usage_partitions(97)`,
      `select governance.forget_decision_keys(1, 1000000)`,
      `select governance.forget_policy_hits(1, 1000000)`,
      `select governance.forget_policy_hits(null, 1000000)`,
      `select governance.forget_webhook_hours(1)`,
      `select governance.forget_webhook_hours(null)`,
      `select governance.prune_incidents(1, 1000)`,
      `select governance.prune_tickets(1, 1000)`,
      `select set_config('governance.org_id', '${org}', false), governance.prune_audit_log(1, 1000)`,
      `update governance.retention_floors set keep_days = 1`,
      `delete from governance.retention_floors`,
      `insert into governance.retention_floors values ('x', 1, 1)`,
    ]) {
      // A statement may be refused, or have no effect.
      await app.query(sql).catch(() => undefined);
    }
    expect(await count()).toEqual(before);
    expect(before).toEqual({ events: 2, keys: 3, hits: 3, hours: 3 });
  });

  it('delay no task of another organization for more than ten minutes, whatever the arguments are', async () => {
    const task = { org: '0199c2a8-5d07-7a44-93be-4f8e21d06c72', id: '0199c2a8-5d07-7a44-93be-4f8e21d06c73' };
    const values = [task.org, task.id];
    await tests.asOwner(
      `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, subject)
       values ($1, $2, 'theirs', 'k', governance.now() - interval '1 hour', 0, '{}')`,
      values,
    );
    const minutes = async (): Promise<number> => {
      const [row] = await tests.asOwner<{ minutes: number }>(
        `select extract(epoch from due_at - governance.now())::float8 / 60 as minutes from governance.tasks
         where org_id = $1 and id = $2`,
        values,
      );
      return row?.minutes ?? NaN;
    };
    const lease = `'{${task.org}}', '{${task.id}}', array[$1::uuid]`;
    const claimed = await app.query(`select * from governance.claim_tasks('theirs', 10, 10, '{}', 2147483647)`);
    expect(claimed.rows).toMatchObject([{ id: task.id }]);
    expect(await minutes()).toBeLessThanOrEqual(10);
    const token = [claimed.rows[0].lease_token];
    await app.query(`select governance.renew_tasks(${lease}, 2147483647)`, token);
    expect(await minutes()).toBeLessThanOrEqual(10);
    await app.query(`select governance.release_tasks(${lease}, '{infinity}')`, token);
    expect(await minutes()).toBeLessThanOrEqual(0);
  });
});
