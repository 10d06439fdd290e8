import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditChainVerifier, AuditLog, operatorActor } from '#access';
import { OrgDatabase } from '#database';
import { GovernanceOperations, runMigrations } from '#governance';
import { PartitionUpkeep } from '#outbox';
import { AuditRetention } from '../../libs/access/audit/audit-retention.js';
import { putConnector, putTask, putTicket } from '../support/itsm/ledger.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { ManualClock } from '../support/manual-clock.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';

const DAY_MS = 86_400_000;
const DAYS = 100;

/** The database compares with its own clock. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const clock = new ManualClock(ago(0).toISOString());

let app: TestApp;
let orgId: string;
let call: Call;

let database: TestDatabase;

beforeAll(async () => {
  database = await createMigratedDatabase();
  // The migrations' role allows it.
  await runMigrations({ url: database.url }, { audit_log: DAYS, incidents: DAYS, tickets: DAYS });
  app = await startTestApp({
    testDatabase: database,
    time: clock,
    auditRetentionDays: DAYS,
    incidents: { retentionDays: DAYS },
    itsm: { retentionDays: DAYS },
  });
});

afterAll(async () => {
  await app?.close();
  await database?.drop();
});

async function inTheLog(count: number, days: number, after: object = {}): Promise<void> {
  clock.set(ago(days));
  await app.app.get(OrgDatabase).transaction(orgId, async em => {
    for (let n = 0; n < count; n++) {
      const entry = { action: 'thing.changed', resourceType: 'thing', resourceId: `${n}`, before: null };
      await app.app.get(AuditLog).append(em, operatorActor(orgId), { ...entry, after: { n, ...after } });
    }
  });
  clock.set(ago(0));
}

const verify = (expected?: string) => app.app.get(AuditChainVerifier).verify(orgId, { expect: expected });
const prune = () => app.app.get(AuditRetention, { strict: false }).prune();
const seqs = async () => {
  const sql = 'select seq::int, action from governance.audit_log where org_id = $1 order by seq';
  return app.database.asOwner<{ seq: number; action: string }>(sql, [orgId]);
};

async function organizationOf(days: number): Promise<void> {
  clock.set(ago(days));
  ({ orgId, call } = await app.addOrganization());
  clock.set(ago(0));
}

describe('the retention of the audit log', () => {
  it('deletes the oldest rows, records the last of them, and keeps the hash chain valid', async () => {
    await organizationOf(400);
    await inTheLog(5, 300);
    await inTheLog(3, 50);
    const before = await verify();
    await prune();
    const rows = await seqs();
    expect(rows.map(({ action }) => action)).toEqual([...Array(3).fill('thing.changed'), 'audit_log.pruned']);
    const report = await verify();
    expect(report).toMatchObject({ ok: true, rows: 4, pruned_seq: rows[0]!.seq - 1, reason: null });
    expect(await verify(`${before.head?.seq}:${before.head?.hash}`)).toMatchObject({ ok: true });
  });

  it('deletes nothing more until another row is old', async () => {
    const before = await seqs();
    expect(await prune()).toBe(0);
    expect(await seqs()).toEqual(before);
  });

  it('keeps its record when all rows are old, and the log continues after it', async () => {
    await organizationOf(400);
    await prune();
    expect(await seqs()).toEqual([{ seq: 3, action: 'audit_log.pruned' }]);
    expect(await verify()).toMatchObject({ ok: true, rows: 1, pruned_seq: 2 });
    await inTheLog(1, 0);
    expect(await verify()).toMatchObject({ ok: true, rows: 2, pruned_seq: 2 });
  });

  it('prunes a second time, including records of earlier prunings', async () => {
    await organizationOf(400);
    await inTheLog(2, 300);
    await inTheLog(2, 90);
    await prune();
    // The first pruning wrote a record into the log. It is now as old as the rows around it.
    await inTheLog(2, 50);
    expect(await verify()).toMatchObject({ ok: true });
    const anchor = await verify();
    expect(anchor.pruned_seq).toBe(4);
    await prune();
    expect(await verify(`${anchor.head?.seq}:${anchor.head?.hash}`)).toMatchObject({ ok: true });
  });

  it('refuses to verify against a pruned row', async () => {
    await expect(verify(`1:${'a'.repeat(64)}`)).rejects.toThrow(
      /expect: row 1 was pruned; expect row 5 or a later one/,
    );
  });

  it.each([
    ['the first remaining row is deleted', 'delete from governance.audit_log where org_id = $1 and seq = 5', 5],
    [
      'the record of the deletion names another row',
      `update governance.audit_log set after = jsonb_set(after::jsonb, '{seq}', '3')::json
       where org_id = $1 and action = 'audit_log.pruned'`,
      4,
    ],
    [
      'a deleted row is inserted again',
      `insert into governance.audit_log select org_id, 2, id, occurred_at, actor_kind, actor_id, actor_name, actor_user_id,
         address, request_id, action, resource_type, resource_id, before, after, prev_hash, hash, salt, commitment
       from governance.audit_log where org_id = $1 and seq = 5`,
      2,
    ],
  ])('leaves an invalid log if %s', async (_what, sql, seq) => {
    await app.database.asOwner('create table kept_log as select * from governance.audit_log where org_id = $1', [
      orgId,
    ]);
    await app.database.asOwner(sql, [orgId]);
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: seq });
    await app.database.asOwner('delete from governance.audit_log where org_id = $1', [orgId]);
    await app.database.asOwner('insert into governance.audit_log select * from kept_log', []);
    await app.database.asOwner('drop table kept_log', []);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('keeps the records of an erasure as long as the rows that it changed', async () => {
    await organizationOf(400);
    const email = `${randomUUID()}@people.example`;
    await inTheLog(3, 300, { email });
    await inTheLog(3, 50, { email });
    const call = app.as(await app.app.get(GovernanceOperations).createToken(orgId, 'admin', 'New'));
    const { id } = (await call('POST', '/v1/users', { email, name: 'To be erased' })).body;
    expect((await call('POST', `/v1/users/${id}/erase`)).status).toBe(200);
    await prune();
    expect(await verify()).toMatchObject({ ok: true });
  });
});

describe('the retention of incidents and tickets', () => {
  /** One incident or ticket for each case, `days` old. */
  async function age(table: 'incidents' | 'tickets', id: string, changes: string, days: number): Promise<void> {
    await app.database.asOwner(`update governance.${table} set ${changes} where org_id = $1 and id = $2`, [
      orgId,
      id,
      ago(days),
    ]);
  }
  const left = async (table: string) =>
    (await app.database.asOwner<{ id: string }>(`select id from governance.${table} where org_id = $1`, [orgId])).map(
      row => row.id,
    );

  async function putIncident(status: 'open' | 'acknowledged' | 'resolved', days: number): Promise<string> {
    const id = randomUUID();
    await app.database.asOwner(
      `insert into governance.incidents (org_id, id, type, severity, status, user_id, details, occurrences, first_seen_at,
         last_seen_at, resolved_at, change_version)
       values ($1, $2::uuid, 'policy_violation', 'low', $3::text, $2::uuid::text, '{}', 1, $4::timestamptz, $4, case when $3 = 'resolved' then $4 end,
         (select coalesce(max(change_version), 0) + 1 from governance.incidents))`,
      [orgId, id, status, ago(days)],
    );
    await app.database.asOwner(
      `insert into governance.incident_entries (org_id, incident_id, id, kind, at, actor, data)
       values ($1, $2, $2, 'opened', now(), '{}', '{}')`,
      [orgId, id],
    );
    return id;
  }

  it('deletes old resolved incidents with their timelines, and no others', async () => {
    await organizationOf(0);
    const old = await putIncident('resolved', 200);
    const kept = [
      await putIncident('resolved', 50),
      await putIncident('open', 200),
      await putIncident('acknowledged', 200),
    ];
    await app.app.get(PartitionUpkeep, { strict: false }).keep();
    expect((await left('incidents')).toSorted()).toEqual(kept.toSorted());
    expect((await left('incident_entries')).toSorted()).toEqual(kept.toSorted());
    expect((await call('GET', `/v1/incidents/${old}`)).status).toBe(404);
  });

  it('deletes old finished tickets, and none that is running or open', async () => {
    await organizationOf(0);
    const connectorId = await putConnector(app, orgId, { active: false });
    const open = await putIncident('open', 200);
    const put = async (external: string | null, changes: string, days = 200): Promise<string> => {
      const id = await putTicket(app, orgId, {
        connectorId,
        ...(external === null ? {} : { externalTicketId: external }),
      });
      await age('tickets', id, `updated_at = $3, ${changes}`, days);
      return id;
    };
    await put('OVER-1', `status = 'closed'`);
    await put('OVER-2', `status = 'resolved'`);
    await put('OVER-3', `status = null, incident_id = null`);
    await put(null, `sync_state = 'rejected'`);
    const withTask = await put('TASK-1', `status = 'closed'`);
    await putTask(app, orgId, { id: withTask, connectorId }, { isLeased: true });
    const kept = [
      withTask,
      await put('YOUNG-1', `status = 'closed'`, 50),
      await put('OPEN-1', `status = 'open', incident_id = '${open}'`),
      await put(null, `sync_state = 'pending'`),
      await put(null, `sync_state = 'uncertain'`),
      await put('CHANGE-1', `status = 'closed', change = '{}'`),
    ];
    await app.app.get(PartitionUpkeep, { strict: false }).keep();
    expect((await left('tickets')).toSorted()).toEqual(kept.toSorted());
  });
});

describe('an app without options of retention', () => {
  it('deletes no row of an audit log', async () => {
    const plain = await startTestApp({ time: new ManualClock(ago(2_000).toISOString()) });
    try {
      const rows = async () => plain.database.asOwner('select org_id, seq from governance.audit_log', []);
      const before = await rows();
      expect(before.length).toBeGreaterThan(0);
      await plain.app.get(AuditRetention, { strict: false }).prune();
      await plain.app.get(PartitionUpkeep, { strict: false }).keep();
      expect(await rows()).toEqual(before);
    } finally {
      await plain.close();
    }
  });
});
