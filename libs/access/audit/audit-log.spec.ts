// Writing, tampering and verifying are tested in one file, because they use one log. Every test starts with a new log.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseKeyring, type JsonObject } from '#core';
import { sqlOf } from '#database';
import { startAccessReplica } from '../testing/access-replica.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-postgres.js';
import { Organization } from '../organizations/organization.entity.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { operatorActor } from '../principals/operator-actor.js';
import { AuditChainVerifier } from './audit-chain-verifier.js';
import type { ChainedRow } from './audit-chain.js';
import { AuditHeads } from './audit-heads.js';
import { AuditLog } from './audit-log.port.js';
import { AUDIT_COLUMNS, commitmentOf, hashOfRow } from './audit-row.js';

describe('the audit log', () => {
  const clock = new ManualClock('2026-11-20T12:00:00.123Z');
  let database: TestDatabase;
  let replica: Awaited<ReturnType<typeof startAccessReplica>>;
  let orgId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    replica = await startAccessReplica(database, { clock });
  });

  afterAll(async () => {
    await replica.close();
    await database.drop();
  });

  /** Row 1 records the creation of the organization. */
  beforeEach(async () => {
    orgId = (await replica.app.get(OrganizationService).create('Audited')).id;
  });

  async function append(after: JsonObject | null, before: JsonObject | null = null, name = 'operator'): Promise<void> {
    await replica.database.transaction(orgId, em =>
      replica.app.get(AuditLog).append(em, operatorActor(orgId, name), {
        action: 'thing.changed',
        resourceType: 'thing',
        resourceId: JSON.stringify(after?.['n'] ?? null),
        before,
        after,
      }),
    );
  }

  async function appendMany(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await append({ n });
  }

  const verify = (expected?: string) =>
    replica.app.get(AuditChainVerifier).verify(orgId, expected === undefined ? {} : { expect: expected });
  const tamper = (sql: string) => database.asOwner(sql, [orgId]);

  async function deleteAll(): Promise<void> {
    await tamper('delete from governance.audit_log where org_id = $1');
    await tamper('delete from governance.audit_heads where org_id = $1');
  }

  async function hashOf(seq: number): Promise<string> {
    const sql = `select encode(hash, 'hex') as hash from governance.audit_log where org_id = $1 and seq = $2`;
    const [row] = await database.asOwner<{ hash: string }>(sql, [orgId, seq]);
    return row?.hash ?? '';
  }

  /**
   * Rewrites the last row, its hash and the head. An attacker with rights on the database but without the keyring can
   * do this.
   */
  async function forge(change: (row: ChainedRow) => ChainedRow): Promise<void> {
    const [last] = await database.asOwner<ChainedRow>(
      `select ${AUDIT_COLUMNS}, salt, commitment, prev_hash, hash from governance.audit_log
       where org_id = $1 order by seq desc limit 1`,
      [orgId],
    );
    const forged = change(last!);
    const commitment = commitmentOf(forged.salt, forged);
    const hash = hashOfRow(forged.prev_hash, { ...forged, commitment });
    await database.asOwner(
      `update governance.audit_log set action = $3, actor_name = $4, commitment = $5, hash = $6
       where org_id = $1 and seq = $2`,
      [orgId, forged.seq, forged.action, forged.actor_name, commitment, hash],
    );
    await database.asOwner('update governance.audit_heads set hash = $2 where org_id = $1', [orgId, hash]);
  }

  it('is valid without tampering, whatever the changes contain', async () => {
    await append({
      nul: 'a\0b',
      half: '\ud800',
      quote: '"\\',
      float: 0.1 + 0.2,
      large: 1e21,
      negativeZero: -0,
      z: { b: 1, a: [null, true] },
      emoji: '🙂',
    });
    await append(null, { gone: true }, 'nul \0 in a name');
    expect(await verify()).toMatchObject({ rows: 3, ok: true, first_broken_seq: null, reason: null });
  });

  it('is one chain for concurrent changes', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => append({ n })));
    expect(await verify()).toMatchObject({ rows: 21, ok: true, head: { seq: 21 } });
  });

  it('is written after the rows of the change are locked, so that two changes cannot deadlock', async () => {
    const entry = { action: 'a.b', resourceType: 'a', resourceId: '1', before: null, after: null };
    const log = replica.app.get(AuditLog);
    let locked!: () => void;
    const rowIsLocked = new Promise<void>(resolve => {
      locked = resolve;
    });
    const first = replica.database.transaction(orgId, async em => {
      await sqlOf(em).query('select 1 from governance.organizations where id = $1 for update', [orgId]);
      locked();
      await new Promise(resolve => setTimeout(resolve, 200));
      await log.append(em, operatorActor(orgId), entry);
    });
    const second = replica.database.transaction(orgId, async em => {
      const organization = await em.findOneOrFail(Organization, { id: orgId });
      await rowIsLocked;
      organization.name = 'Renamed';
      await log.append(em, operatorActor(orgId), entry);
    });
    await expect(Promise.all([first, second])).resolves.toBeDefined();
    expect(await verify()).toMatchObject({ rows: 3, ok: true });
  });

  it('does not contain changes that were rolled back, and has no gap for them', async () => {
    const attempt = replica.database.transaction(orgId, async em => {
      const entry = { action: 'a.b', resourceType: 'a', resourceId: '1', before: null, after: null };
      await replica.app.get(AuditLog).append(em, operatorActor(orgId), entry);
      throw new Error('no');
    });
    await expect(attempt).rejects.toThrow('no');
    await append({ n: 1 });
    expect(await verify()).toMatchObject({ rows: 2, ok: true });
  });

  it('is verified to its end if it is longer than a page', async () => {
    await replica.database.transaction(orgId, async em => {
      for (let n = 0; n < 1100; n++) {
        const entry = { action: 'a.b', resourceType: 'a', resourceId: String(n), before: null, after: { n } };
        await replica.app.get(AuditLog).append(em, operatorActor(orgId), entry);
      }
    });
    expect(await verify()).toMatchObject({ rows: 1101, ok: true });
    await tamper(`update governance.audit_log set action = 'x' where org_id = $1 and seq = 1050`);
    expect(await verify()).toMatchObject({ rows: 1049, ok: false, first_broken_seq: 1050 });
  });

  it.each([
    ['action', `action = 'thing.kept'`],
    ['actor', `actor_id = 'somebody else'`],
    ['name', `actor_name = ''`],
    ['time', `occurred_at = occurred_at + interval '1 microsecond'`],
    ['address', `address = '127.0.0.1'`],
    ['content', `after = '{"n":2}'`],
    ['bytes of the content', `after = '{"n": 1}'`],
    ['content, by removing it', `after = null`],
    ['id', `id = gen_random_uuid()`],
    ['hash', `hash = prev_hash`],
  ])('is broken if the %s of a row was altered', async (_what, change) => {
    await appendMany(4);
    await tamper(`update governance.audit_log set ${change} where org_id = $1 and seq = 3`);
    expect(await verify()).toMatchObject({
      rows: 2,
      ok: false,
      first_broken_seq: 3,
      reason: expect.stringContaining('altered'),
    });
  });

  it('is broken if a row was removed', async () => {
    await appendMany(4);
    await tamper('delete from governance.audit_log where org_id = $1 and seq = 3');
    expect(await verify()).toMatchObject({
      ok: false,
      first_broken_seq: 3,
      reason: expect.stringContaining('missing'),
    });
  });

  it('is broken if the first row was removed', async () => {
    await appendMany(1);
    await tamper('delete from governance.audit_log where org_id = $1 and seq = 1');
    expect(await verify()).toMatchObject({ rows: 0, ok: false, first_broken_seq: 1 });
  });

  it('is broken if the last rows were removed', async () => {
    await appendMany(4);
    await tamper('delete from governance.audit_log where org_id = $1 and seq > 3');
    expect(await verify()).toMatchObject({ rows: 3, ok: false, first_broken_seq: 4 });
  });

  it('is broken if two rows were swapped', async () => {
    await appendMany(4);
    await tamper('update governance.audit_log set seq = 100 where org_id = $1 and seq = 2');
    await tamper('update governance.audit_log set seq = 2 where org_id = $1 and seq = 3');
    await tamper('update governance.audit_log set seq = 3 where org_id = $1 and seq = 100');
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: 2 });
  });

  it('is broken if a row was added at the end', async () => {
    await appendMany(2);
    await tamper(`insert into governance.audit_log
      select org_id, 4, gen_random_uuid(), occurred_at, actor_kind, actor_id, actor_name, actor_user_id, address,
        request_id, action, resource_type, resource_id, before, after, hash, hash, salt, commitment
      from governance.audit_log where org_id = $1 and seq = 3`);
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: 4 });
  });

  it('is broken if it was emptied and the head remains', async () => {
    await tamper('delete from governance.audit_log where org_id = $1');
    expect(await verify()).toMatchObject({ rows: 0, ok: false, first_broken_seq: 1 });
  });

  it('is broken if its rows and its head were deleted', async () => {
    await deleteAll();
    expect(await verify()).toMatchObject({
      rows: 0,
      ok: false,
      first_broken_seq: 1,
      reason: expect.stringContaining('row 1 is missing'),
    });
  });

  it('stays broken after further changes if its rows and its head were deleted', async () => {
    await deleteAll();
    await appendMany(2);
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: 1, reason: expect.stringContaining('anew') });
  });

  it('is broken if a creation was inserted before changes that follow a deletion', async () => {
    await deleteAll();
    await appendMany(1);
    await forge(row => ({ ...row, action: 'organization.created' }));
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: 1, reason: expect.stringContaining('seal') });
    await appendMany(1);
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: 2, reason: expect.stringContaining('seal') });
  });

  it('is broken if its last row and its head were rewritten, also after further changes', async () => {
    await appendMany(2);
    await forge(row => ({ ...row, actor_name: 'somebody else' }));
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: 3, reason: expect.stringContaining('seal') });
    await appendMany(1);
    expect(await verify()).toMatchObject({ ok: false, first_broken_seq: 4, reason: expect.stringContaining('seal') });
  });

  it('is broken if its seal was copied from another organization or an earlier head', async () => {
    await appendMany(1);
    await database.asOwner('create table if not exists kept_heads as select * from governance.audit_heads');
    await appendMany(1);
    await tamper(`update governance.audit_heads h set key_id = k.key_id, mac = k.mac from kept_heads k
      where h.org_id = $1 and k.org_id = $1`);
    expect(await verify()).toMatchObject({ ok: false, reason: expect.stringContaining('seal') });
    await tamper(`update governance.audit_heads h set mac = k.mac from kept_heads k
      where h.org_id = $1 and k.org_id <> $1 and k.mac is not null`);
    expect(await verify()).toMatchObject({ ok: false, reason: expect.stringContaining('seal') });
  });

  it('matches an anchor of any of its rows, but not if an older state was restored', async () => {
    await appendMany(2);
    await database.asOwner('drop table if exists kept_heads');
    await database.asOwner('create table kept_heads as select * from governance.audit_heads');
    const kept = await verify();
    expect(await verify(`1:${await hashOf(1)}`)).toMatchObject({ ok: true });
    await appendMany(2);
    const anchor = await verify();
    const texts = [kept, anchor].map(({ head }) => `${head?.seq}:${head?.hash}`);
    for (const text of texts) expect(await verify(text)).toMatchObject({ rows: 5, ok: true });
    await tamper('delete from governance.audit_log where org_id = $1 and seq > 3');
    await tamper(`update governance.audit_heads h set seq = k.seq, hash = k.hash, key_id = k.key_id, mac = k.mac
      from kept_heads k where h.org_id = $1 and k.org_id = $1`);
    expect(await verify()).toMatchObject({ ok: true });
    expect(await verify(texts[0])).toMatchObject({ ok: true });
    expect(await verify(texts[1])).toMatchObject({ ok: false, first_broken_seq: 4 });
    await append({ n: 7 });
    await append({ n: 8 });
    expect(await verify(texts[1])).toMatchObject({
      ok: false,
      first_broken_seq: 5,
      reason: expect.stringContaining('another hash than expected'),
    });
  });

  it.each(['', '1', '1:abc', `0:${'a'.repeat(64)}`, `-1:${'a'.repeat(64)}`, `1:${'g'.repeat(64)}`])(
    'refuses %j as an anchor and names the expected format',
    async text => {
      await expect(verify(text)).rejects.toThrow('expect: must be the number of a row, a colon and its hash');
    },
  );

  describe('when keys are rotated', () => {
    const ring = (...ids: string[]) =>
      parseKeyring(ids.map(id => `${id}:${Buffer.alloc(32, id === 'k1' ? 7 : 9).toString('base64')}`).join(','));
    const started: { close(): Promise<void> }[] = [];

    async function startWith(...ids: string[]) {
      const other = await startAccessReplica(database, { clock, keyring: ring(...ids) });
      started.push(other);
      return other;
    }

    afterEach(async () => {
      // Seals the log again with the key that the other tests use.
      const last = await startWith('k1', 'k2');
      await last.app.get(AuditHeads).reseal();
      for (const each of started.splice(0)) await each.close();
    });

    it('is sealed with the new key by a reseal, after which the old key can be removed', async () => {
      await appendMany(1);
      const refused = startAccessReplica(database, { clock, keyring: ring('k2') });
      await expect(refused).rejects.toThrow(/heads of audit logs are sealed under "k1", which is not at hand/);
      const both = await startWith('k2', 'k1');
      expect(await both.app.get(AuditChainVerifier).verify(orgId)).toMatchObject({ ok: true });
      const report = await both.app.get(AuditHeads).reseal();
      expect(report.resealed).toBeGreaterThan(0);
      expect(report.broken).not.toContain(orgId);
      expect(await both.app.get(AuditHeads).reseal()).toMatchObject({ resealed: 0 });
      await database.asOwner(`update governance.audit_heads set key_id = null, mac = null where key_id = 'k1'`);
      const next = await startWith('k2');
      expect(await next.app.get(AuditChainVerifier).verify(orgId)).toMatchObject({ rows: 2, ok: true });
    });

    it('uses the new key from the next change on', async () => {
      const both = await startWith('k2', 'k1');
      await both.database.transaction(orgId, em =>
        both.app.get(AuditLog).append(em, operatorActor(orgId), {
          ...{ action: 'a.b', resourceType: 'a', resourceId: '1', before: null, after: null },
        }),
      );
      const rows = await database.asOwner('select key_id from governance.audit_heads where org_id = $1', [orgId]);
      expect(rows).toEqual([{ key_id: 'k2' }]);
      expect(await both.app.get(AuditChainVerifier).verify(orgId)).toMatchObject({ rows: 2, ok: true });
    });

    it('stays unchanged and is reported if its seal is invalid', async () => {
      await tamper(`update governance.audit_heads set mac = decode(repeat('00', 32), 'hex') where org_id = $1`);
      const both = await startWith('k2', 'k1');
      expect((await both.app.get(AuditHeads).reseal()).broken).toContain(orgId);
      expect(await both.app.get(AuditChainVerifier).verify(orgId)).toMatchObject({ ok: false });
      await tamper('update governance.audit_heads set key_id = null, mac = null where org_id = $1');
    });

    it('can be accepted by an operator despite an invalid seal, and the acceptance is recorded', async () => {
      await appendMany(1);
      await tamper('update governance.audit_heads set key_id = null, mac = null where org_id = $1');
      expect(await verify()).toMatchObject({ ok: false, reason: expect.stringContaining('has no seal') });
      await replica.app.get(AuditChainVerifier).seal(orgId);
      expect(await verify()).toMatchObject({ rows: 3, ok: true });
      const [row] = await database.asOwner(
        'select action, actor_kind, before from governance.audit_log where org_id = $1 and seq = 3',
        [orgId],
      );
      expect(row).toMatchObject({ action: 'audit_log.sealed', actor_kind: 'cli', before: { seq: 2, key_id: null } });
    });
  });

  it('is not accepted if its rows are invalid', async () => {
    await deleteAll();
    await appendMany(1);
    await expect(replica.app.get(AuditChainVerifier).seal(orgId)).rejects.toThrow(/begun anew/);
    expect(await verify()).toMatchObject({ ok: false });
  });

  it.each([
    'update governance.audit_log set action = $2 where org_id = $1',
    'delete from governance.audit_log where org_id = $1 and action <> $2',
  ])('does not let the app %s', async sql => {
    const attempt = replica.database.transaction(orgId, async em => {
      await sqlOf(em).query(sql, [orgId, 'x']);
    });
    await expect(attempt).rejects.toThrow(/permission denied/);
  });
});
