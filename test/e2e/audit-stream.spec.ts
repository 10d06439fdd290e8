// One file: stream, security events and incidents are tested with one app and one sink.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog, DeletionHolds, operatorActor, SecurityEventFeed } from '#access';
import { OrgDatabase, sqlOf } from '#database';
import { GovernanceOperations, runMigrations } from '#governance';
import { AuditRetention } from '../../libs/access/audit/audit-retention.js';
import { AuditStream } from '../../libs/siem/stream/audit-stream.js';
import { StreamStore } from '../../libs/siem/stream/stream-store.js';
import { SecuritySpool } from '../../libs/siem/spool/security-spool.js';
import { ocsfFaults } from '../../libs/siem/testing/ocsf-faults.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { newDataDir } from '../support/standalone-process.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';
import { backlogOf, KeptSink, refusedRequest, STREAM, violate } from './audit-stream.support.js';

const DAYS = 30;

describe('the stream of the audit log', () => {
  const sink = new KeptSink();
  let database: TestDatabase;
  let app: TestApp;
  let time: MovedTime;
  let org: Awaited<ReturnType<TestApp['addOrganization']>>;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    // Only the role of the migrations may set a retention of the audit log.
    await runMigrations({ url: database.url }, { audit_log: DAYS });
    app = await startTestApp({
      ...{ testDatabase: database, auditSink: { useValue: sink }, outbox: { workers: false } },
      auditRetentionDays: DAYS,
    });
    time = await moveTime(app.database);
  });
  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    org = await app.addOrganization();
    await flush();
    await send();
    sink.reset();
  });
  afterEach(() => sink.reset());

  const part = <T>(type: abstract new (...args: never[]) => T): T => app.app.get<T>(type, { strict: false });
  const send = () => part(AuditStream).send();
  /** Flushes twice, because the first call may join a scheduled run that has already begun. */
  const flush = async (): Promise<void> => {
    for (let n = 0; n < 2; n++) await part(SecuritySpool).flush();
  };
  const seqsOf = (orgId: string, records = sink.records) =>
    records
      .filter(record => record.orgId === orgId)
      .map(({ event }) => Reflect.get(Object(event['metadata']), 'sequence'));

  const refuse = (orgId: string, at: Date) => part(SecurityEventFeed).record(refusedRequest(orgId, at));

  const backlog = () => backlogOf(app.database);

  const recordsOf = (orgId: string) =>
    app.database.asOwner('select id from governance.siem_records where org_id = $1', [orgId]);

  /** Adds rows to the audit log. Row 1 is the creation of the organization, row 2 that of its token. */
  async function change(count: number, orgId = org.orgId): Promise<void> {
    for (let n = 0; n < count; n++) {
      const entry = { action: 'thing.changed', resourceType: 'thing', resourceId: `${n}`, before: null, after: { n } };
      await part(OrgDatabase).transaction(orgId, em => part(AuditLog).append(em, operatorActor(orgId), entry));
    }
  }

  it('sends each row once, in order, as an OCSF event', async () => {
    await change(3);
    expect(await send()).toBe(3);
    await change(1);
    expect(await send()).toBe(1);
    expect(await send()).toBe(0);
    expect(seqsOf(org.orgId)).toEqual([3, 4, 5, 6]);
    expect(new Set(sink.records.map(({ uid }) => uid)).size).toBe(4);
    for (const { event, uid, orgId, mayBeRepeated } of sink.records) {
      expect(ocsfFaults(event)).toEqual([]);
      expect(event).toMatchObject({ metadata: { uid, tenant_uid: orgId }, api: { operation: 'thing.changed' } });
      expect(mayBeRepeated).toBe(false);
    }
  });

  it('sends the history of an organization from row 1', async () => {
    const { orgId } = await app.addOrganization();
    await send();
    expect(seqsOf(orgId)).toEqual([1, 2]);
  });

  it('splits a long log into batches of one organization each', async () => {
    const { orgId } = await app.addOrganization();
    await change(2, orgId);
    await change(505);
    await send();
    expect(
      sink.batches.every(batch => batch.length <= 500 && new Set(batch.map(({ orgId }) => orgId)).size === 1),
    ).toBe(true);
    expect(seqsOf(org.orgId)).toEqual(Array.from({ length: 505 }, (_, at) => at + 3));
    expect(seqsOf(orgId)).toEqual([1, 2, 3, 4]);
  });

  it('splits batches whose rows are large', async () => {
    const entry = {
      action: 'a.b',
      resourceType: 'a',
      resourceId: '1',
      before: null,
      after: { text: 'x'.repeat(700_000) },
    };
    for (let n = 0; n < 4; n++) {
      await part(OrgDatabase).transaction(org.orgId, em => part(AuditLog).append(em, operatorActor(org.orgId), entry));
    }
    await send();
    expect(sink.batches.map(({ length }) => length)).toEqual([2, 2]);
  });

  it('loses nothing when the sink fails, retries after 1, 5 and 30 seconds, and labels records that may be repeated', async () => {
    await change(2);
    sink.act = () => Promise.reject(new Error('The disk is full.'));
    expect(await send()).toBe(0);
    expect(await backlog()).toMatchObject({ waiting: 2, failing: 1, fault: 'The disk is full.' });
    let tries = 0;
    sink.act = () => {
      tries += 1;
      return Promise.reject(new Error('The disk is full.'));
    };
    for (const seconds of [1, 5, 30]) {
      await time.advance((seconds - 1) * 1_000);
      const before = tries;
      await time.advance(1_000);
      await send();
      expect(tries).toBe(before + 1);
      await send();
      expect(tries).toBe(before + 1);
    }
    await change(1);
    sink.reset();
    await time.advance(300_000);
    expect(await send()).toBe(3);
    expect(seqsOf(org.orgId)).toEqual([3, 4, 5]);
    // Rows 3 and 4 were sent before. Row 5 was not.
    expect(sink.records.map(({ mayBeRepeated }) => mayBeRepeated)).toEqual([true, true, false]);
    expect(sink.records[0]?.event).toMatchObject({ metadata: { labels: ['may_be_repeated'] } });
    expect(await backlog()).toMatchObject({ waiting: 0, failing: 0, fault: null, oldest_seconds: 0 });
  });

  it('sends the same records again, with the label, if the process ends between acceptance and commit', async () => {
    await change(2);
    const store = part(StreamStore);
    const lost = await store.claim(STREAM, org.orgId);
    expect(lost?.rows.map(({ seq }) => seq)).toEqual([3, 4]);
    // The lease is still valid, so no other process sends.
    expect(await send()).toBe(0);
    await time.advance(61_000);
    expect(await send()).toBe(2);
    expect(sink.records.map(({ uid }) => uid)).toEqual(lost?.rows.map(({ id }) => id));
    expect(sink.records.map(({ mayBeRepeated }) => mayBeRepeated)).toEqual([true, true]);
    // A process that has lost the lease must not advance the position of the stream.
    await change(1);
    expect(await store.accept(STREAM, lost!)).toBe(false);
    expect(await send()).toBe(1);
    expect(seqsOf(org.orgId)).toEqual([3, 4, 5]);
  });

  it('gives its lease to one of several concurrent processes', async () => {
    await change(2);
    const claims = await Promise.all(Array.from({ length: 4 }, () => part(StreamStore).claim(STREAM, org.orgId)));
    expect(claims.filter(claim => claim !== undefined)).toHaveLength(1);
  });

  it('is sent by one replica at a time', async () => {
    const replica = await startTestApp({
      ...{ testDatabase: app.database, orgId: app.orgId, time: app.clock },
      ...{ auditSink: { useValue: sink }, outbox: { workers: false }, auditRetentionDays: DAYS },
    });
    try {
      // Sends the audit record of the token that the replica has created at its start.
      await send();
      sink.reset();
      await change(2);
      let release!: () => void;
      let begun!: () => void;
      const isHeld = new Promise<void>(resolve => (release = resolve));
      const hasBegun = new Promise<void>(resolve => (begun = resolve));
      sink.act = () => {
        begun();
        return isHeld;
      };
      const first = send();
      await hasBegun;
      expect(await replica.app.get(AuditStream, { strict: false }).send()).toBe(0);
      release();
      expect(await first).toBe(2);
      expect(seqsOf(org.orgId)).toEqual([3, 4]);
    } finally {
      await replica.close();
    }
  });

  it('keeps rows beyond their retention until the sink has accepted them', async () => {
    await change(2);
    sink.act = () => Promise.reject(new Error('away'));
    await send();
    await time.advance(DAYS * 2 * 86_400_000);
    const prune = () => part(AuditRetention).prune();
    const left = async () => {
      const sql = 'select min(seq)::int as seq from governance.audit_log where org_id = $1';
      return (await app.database.asOwner<{ seq: number }>(sql, [org.orgId]))[0]?.seq;
    };
    await prune();
    expect(await left()).toBe(1);
    sink.reset();
    await send();
    await prune();
    // The remaining row is the record of the pruning.
    expect(await left()).toBe(5);
    await send();
    expect(seqsOf(org.orgId)).toEqual([3, 4, 5]);
  });

  it('continues for other organizations if the batch of one is not accepted', async () => {
    const { orgId } = await app.addOrganization();
    await change(1);
    sink.act = async records => {
      if (records[0]?.orgId === org.orgId) throw new Error('The collector answered 413.');
    };
    await send();
    expect(seqsOf(orgId)).toEqual([1, 2]);
    expect(seqsOf(org.orgId)).toEqual([]);
  });

  it('has the last row of an organization before its rows are deleted, even if the sink fails meanwhile', async () => {
    const { orgId, call } = await app.addOrganization('Leaving');
    expect((await call('GET', '/v1/organization')).status).toBe(200);
    await flush();
    await send();
    sink.reset();
    sink.act = () => Promise.reject(new Error('The collector is away.'));
    await part(GovernanceOperations).suspendOrganization(orgId);
    app.clock.advance(61_000);
    await send();
    const folder = newDataDir();
    const order = { folder: join(folder, 'export'), confirm: 'Leaving' };
    const remove = (terms: object) => part(GovernanceOperations).deleteOrganization(orgId, { ...order, ...terms });
    try {
      const why = '2 records of the organization wait for the SIEM (stream kept; last fault: The collector is away.).';
      await expect(remove({ waitMs: 0 })).rejects.toThrow(`${why} No row is deleted.`);
      // Nothing was exported: the deletion stopped before any change, so the organization can be resumed.
      expect(readdirSync(folder)).toEqual([]);

      sink.reset();
      await time.advance(300_000);
      await remove({ waits: () => void send() });
      const last = sink.records.filter(record => record.orgId === orgId);
      expect(last.map(({ event, mayBeRepeated }) => [Object(event['api']).operation, mayBeRepeated])).toEqual([
        ['organization.suspended', true],
        ['organization.deletion_begun', false],
        ['organization.deletion_begun', false],
      ]);
      // A request that was refused before the deletion was committed, but is flushed after it, must leave no row.
      refuse(orgId, app.clock.now());
      await flush();
      expect(await recordsOf(orgId)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('does not delay a deletion for events after its start, or a deletion that drops unsent records', async () => {
    const { orgId } = await app.addOrganization('Leaving');
    await send();
    const until = app.clock.now();
    refuse(orgId, new Date(until.getTime() + 1));
    await flush();
    expect(await recordsOf(orgId)).toHaveLength(1);
    const reason = (at: Date) =>
      part(OrgDatabase).transaction(orgId, em => part(DeletionHolds).reason(sqlOf(em), orgId, at));
    expect(await reason(until)).toBeUndefined();
    expect(await reason(new Date(until.getTime() + 1))).toContain('1 record of the organization waits for the SIEM');

    await part(GovernanceOperations).suspendOrganization(orgId);
    app.clock.advance(61_000);
    const folder = newDataDir();
    const order = { folder: join(folder, 'export'), confirm: 'Leaving', dropUnsent: true };
    await part(GovernanceOperations).deleteOrganization(orgId, order);
    rmSync(folder, { recursive: true });
    expect(await recordsOf(orgId)).toEqual([]);
  });

  it('does not affect the app while the sink hangs', async () => {
    await change(1);
    let release!: () => void;
    let begun!: () => void;
    const isHeld = new Promise<void>(resolve => (release = resolve));
    const hasBegun = new Promise<void>(resolve => (begun = resolve));
    sink.act = () => {
      begun();
      return isHeld;
    };
    const sending = send();
    await hasBegun;
    const { status } = await org.call('POST', '/v1/policies', { name: 'Meanwhile', action: 'alert' });
    expect(status).toBe(201);
    release();
    await sending;
    expect(seqsOf(org.orgId)).toEqual(expect.arrayContaining([3, 4]));
  });

  it('contains a new incident once, and its changes', async () => {
    await violate(org.call, 3);
    const { body } = await org.call('GET', '/v1/incidents');
    const [{ id }] = body.items;
    await org.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
    await send();
    const findings = sink.records.filter(({ event }) => event['class_uid'] === 2004).map(({ event }) => event);
    expect(findings.flatMap(ocsfFaults)).toEqual([]);
    expect(findings).toHaveLength(2);
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          activity_name: 'Create',
          finding_info: expect.objectContaining({ uid: id, types: ['policy_violation'] }),
        }),
        expect.objectContaining({ activity_name: 'Close', finding_info: expect.objectContaining({ uid: id }) }),
      ]),
    );
  });

  it('contains refused sign-ins without an organization, and refused requests with their organization', async () => {
    await app.as('x'.repeat(40))('GET', '/v1/policies');
    const agent = await app.addToken('agent');
    await agent.call('GET', '/v1/audit-log');
    await flush();
    await send();
    const security = sink.records.filter(
      ({ event }) => Reflect.get(Object(event['metadata']), 'log_name') === 'security',
    );
    expect(security.flatMap(({ event }) => ocsfFaults(event))).toEqual([]);
    const refused = security.find(({ event }) => event['status_code'] === '401');
    expect(refused).toMatchObject({ orgId: null, event: { class_uid: 3002, status_id: 2, activity_name: 'Logon' } });
    const denied = security.find(({ event }) => event['status_code'] === '403');
    expect(denied).toMatchObject({
      orgId: app.orgId,
      event: { class_uid: 6003, api: { operation: 'GET /v1/audit-log' } },
    });
    // Accepted records are deleted.
    expect(await app.database.asOwner('select id from governance.siem_records')).toEqual([]);
  });

  it('keeps security events in memory while they cannot be stored', async () => {
    await app.database.asOwner('alter table governance.siem_records rename to siem_records_away');
    const agent = await app.addToken('agent');
    try {
      await app.as('z'.repeat(40))('GET', '/v1/policies');
      await agent.call('GET', '/v1/audit-log');
      await expect(part(SecuritySpool).flush()).rejects.toThrow('siem_records');
    } finally {
      await app.database.asOwner('alter table governance.siem_records_away rename to siem_records');
    }
    await flush();
    await send();
    const codes = sink.records.map(({ event }) => event['status_code']);
    expect(codes).toEqual(expect.arrayContaining(['401', '403']));
  });

  it('stores some refusals of a flood, and then their number', async () => {
    const refused = app.as('y'.repeat(40));
    for (let n = 0; n < 130; n++) await refused('GET', '/v1/policies');
    await flush();
    await send();
    const events = sink.records.filter(({ event }) => event['status_code'] === '401').map(({ event }) => event);
    expect(events.flatMap(ocsfFaults)).toEqual([]);
    // There may be several summaries, because the scheduler may have stored one in between.
    const summaries = events.filter(({ count }) => count !== undefined);
    expect(summaries.length).toBeGreaterThan(0);
    expect(events.reduce((sum, { count = 1 }) => sum + Number(count), 0)).toBe(130);
    expect(events.length).toBeLessThan(130);
  });

  it('writes no secret into events', async () => {
    const hook = await org.call('POST', '/v1/webhooks', { url: 'https://example.com/hook' });
    const issued = await org.call('POST', '/v1/tokens', { name: 'gateway', role: 'agent' });
    await send();
    const text = JSON.stringify(sink.records.map(({ event }) => event));
    expect([hook.status, issued.status]).toEqual([201, 201]);
    expect(text).toContain('webhook.registered');
    expect(text).toContain('token.created');
    expect(text).not.toContain(hook.body.signing_secret);
    expect(text).not.toContain(issued.body.token);
  });
});
