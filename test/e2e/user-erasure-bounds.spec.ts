import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditLog, operatorActor, SCOPES, TokenService } from '#access';
import { OrgDatabase, sqlOf } from '#database';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { ErasureStage, succeed } from './user-erasure.support.js';

let app: TestApp;
let orgId: string;
let call: Call;
let stage: ErasureStage;

beforeAll(async () => {
  app = await startTestApp();
  ({ orgId, call } = await app.addOrganization());
  stage = new ErasureStage(app, orgId, call);
});

afterAll(() => app?.close());

describe('an erasure', () => {
  it('does not affect another user whose address contains the erased one, or who now has a previous address of the erased user', async () => {
    const email = `${randomUUID()}@people.example`;
    const shared = `info-${randomUUID()}@people.example`;
    const one = await stage.addUser('One Person', shared);
    await succeed(call('PUT', `/v1/users/${one.id}`, { email }));
    const other = await stage.addUser('Other Person', `n-${email}`);
    const heir = await stage.addUser('Heir Person', shared);
    for (const user_email of [`n-${email}`, shared]) {
      await succeed(
        call('POST', '/v1/decisions', { user_email, provider: 'a', model: 'b', idempotency_key: randomUUID() }),
      );
    }
    const before = await stage.placesOf([`n-${email}`]);
    await succeed(stage.erase(one.id));
    expect(await stage.placesOf([`n-${email}`])).toEqual(before);
    expect((await call('GET', `/v1/users/${other.id}`)).body.email).toBe(`n-${email}`);
    expect((await call('GET', `/v1/users/${heir.id}`)).body.email).toBe(shared);
    expect((await stage.placesOf([shared])).toSorted()).toContain('decisions.user_email');
  });

  it("replaces the user's data in rows about other users, and nothing else in them", async () => {
    const [name, former] = [`Ada ${randomUUID()}`, `former-${randomUUID()}@people.example`];
    const ada = await stage.addUser('Ada Byron');
    const bob = await stage.addUser(`Bob ${name}`);
    const said = `${name} said so, ${former}`;
    await succeed(call('POST', `/v1/users/${bob.id}/offboard`, { reason: said }));
    await app.database.asOwner(
      `insert into governance.devices (org_id, id, user_id, name, certificate_serial, fingerprint_sha256,
         certificate_expires_at, revoked_at, revocation_reason, crl_reason, created_at, updated_at, change_version)
       values ($1, $2::uuid, $3, 'Laptop', $2::uuid::text, '', now(), now(), $4, 'unspecified', now(), now(), 0)`,
      [orgId, randomUUID(), bob.id, said],
    );
    await app.database.asOwner(
      `insert into governance.approvals (org_id, id, policy_id, policy_name, user_id, provider, model, status, requests,
         requested_at, last_requested_at, decided_at, decided_by, reason, expires_at)
       values ($1, $2::uuid, $2::uuid, $4, $3, 'a', 'b', 'denied', 1, now(), now(), now(), '{"id":"x","name":"X"}', $4, now())`,
      [orgId, randomUUID(), bob.id, said],
    );
    const places = ['approvals.policy_name', 'approvals.reason', 'devices.revocation_reason', 'users.departure_reason'];
    expect(await stage.placesOf([former])).toEqual(expect.arrayContaining(places));
    await succeed(stage.erase(ada.id));

    const { body } = await succeed(stage.erase(ada.id, { also: [name, former] }));

    expect(body.rows).toMatchObject({ users: 1, devices: 1, approvals: 1 });
    expect(await stage.placesOf([former])).toEqual([]);
    const left = (await call('GET', `/v1/users/${bob.id}`)).body;
    expect(left).toMatchObject({
      name: `Bob ${name}`,
      email: bob.email,
      departure_reason: '[erased] said so, [erased]',
    });
    const reason = 'select reason as value from governance.approvals where org_id = $1 and user_id = $2';
    expect(await stage.value(reason, [orgId, bob.id])).toBe('[erased] said so, [erased]');
    expect((await succeed(stage.erase(ada.id, { also: [name, former] }))).body.rows).toEqual({});
  });

  it('is completed by the next request if the first one was interrupted', async () => {
    const person = await stage.addUser(`Interrupted ${randomUUID()}`);
    await succeed(
      call('POST', '/v1/decisions', {
        ...{ user_email: person.email, provider: 'a', model: 'b', idempotency_key: randomUUID() },
      }),
    );
    // Makes the last step of the erasure fail. By then, the user is suspended, and most tables are done.
    await app.database.asOwner(
      `create function governance.refuse_erasure() returns trigger language plpgsql as
       $$ begin if new.erased_at is not null then raise exception 'interrupted'; end if; return new; end $$`,
      [],
    );
    await app.database.asOwner(
      'create trigger refuse_erasure before update on governance.users for each row execute function governance.refuse_erasure()',
      [],
    );
    expect((await stage.erase(person.id)).status).toBe(500);
    await app.database.asOwner('drop function governance.refuse_erasure() cascade', []);
    expect((await call('GET', `/v1/users/${person.id}`)).body).toMatchObject({
      status: 'suspended',
      email: person.email,
    });
    await succeed(stage.erase(person.id));
    expect(await stage.placesOf([person.email])).toEqual([]);
    expect(await stage.verify()).toMatchObject({ ok: true });
  });

  it('processes a log of more rows than one chunk, with a record for each chunk', async () => {
    const person = await stage.addUser(`Busy ${randomUUID()}`);
    await app.app.get(OrgDatabase).transaction(orgId, async em => {
      for (let n = 0; n < 1001; n++) {
        const entry = { action: 'thing.changed', resourceType: 'thing', resourceId: `${n}`, before: null };
        await app.app.get(AuditLog).append(em, operatorActor(orgId), { ...entry, after: { n, by: person.email } });
      }
    });
    const { body } = await succeed(stage.erase(person.id));
    expect(body.rows.audit_log).toBeGreaterThan(1001);
    const { items } = (await call('GET', `/v1/audit-log?action=audit_log.redacted&resource_id=${person.id}`)).body;
    expect(items.length).toBe(3);
    expect(await stage.placesOf([person.email])).toEqual([]);
    expect(await stage.verify()).toMatchObject({ ok: true });
  });

  it("refuses an unknown user, the caller's own user, and the user who created the caller's token", async () => {
    expect((await stage.erase(randomUUID())).status).toBe(404);
    expect((await stage.erase('nonsense')).status).toBe(404);
    const admin = await stage.addUser('Administrator');
    const as = app.as(await stage.tokenOf(admin.id, 'Mine'));
    const own = await as('POST', `/v1/users/${admin.id}/erase`);
    expect([own.status, own.body.message]).toEqual([409, expect.stringContaining('your own user')]);
    const made = await succeed(as('POST', '/v1/tokens', { name: 'Second', role: 'admin', user_id: admin.id }));
    const second = await app.as(made.body.token)('POST', `/v1/users/${admin.id}/erase`);
    expect(second.status).toBe(409);
    const other = await stage.addUser('Other administrator');
    const given = await succeed(as('POST', '/v1/tokens', { name: 'Third', role: 'admin', user_id: other.id }));
    const third = await app.as(given.body.token)('POST', `/v1/users/${admin.id}/erase`);
    expect([third.status, third.body.message]).toEqual([409, expect.stringContaining('would end your access token')]);
  });

  it.each([
    [{ also: 'Ada' }, 'also'],
    [{ also: ['Al'] }, 'also'],
    [{ also: Array.from({ length: 21 }, () => 'Ada Byron') }, 'also'],
    [{ texts: [] }, 'texts'],
  ])('refuses the body %j', async (body, field) => {
    const person = await stage.addUser('Bad Body');
    const answer = await stage.erase(person.id, body);
    expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, field]);
  });

  it('needs every scope whose data it changes, and only affects its own organization', async () => {
    const person = await stage.addUser('Narrow');
    const request = { name: 'Narrow', role: 'admin', scopes: SCOPES.filter(scope => scope !== 'itsm:write') } as const;
    const { token } = await app.app.get(TokenService).issueFor(operatorActor(orgId), request);
    expect((await app.as(token)('POST', `/v1/users/${person.id}/erase`)).status).toBe(403);
    const { call: stranger } = await app.addOrganization();
    expect((await stranger('POST', `/v1/users/${person.id}/erase`)).status).toBe(404);
  });
});

describe('the audit log after an erasure', () => {
  let seq: number;

  const tampered = async (sql: string, check: () => Promise<void>) => {
    await app.database.asOwner('create table kept_log as select * from governance.audit_log', []);
    await app.database.asOwner('create table kept_redactions as select * from governance.audit_redactions', []);
    await app.database.asOwner(sql, sql.includes('$2') ? [orgId, seq] : [orgId]);
    await check();
    await app.database.asOwner('truncate governance.audit_log, governance.audit_redactions', []);
    await app.database.asOwner('insert into governance.audit_log select * from kept_log', []);
    await app.database.asOwner('insert into governance.audit_redactions select * from kept_redactions', []);
    await app.database.asOwner('drop table kept_log, kept_redactions', []);
  };

  beforeAll(async () => {
    const sql = 'select min(seq)::int as value from governance.audit_redactions where org_id = $1';
    seq = Number(await stage.value(sql, [orgId]));
  });

  it.each([
    [
      'a redacted row gets other content',
      `update governance.audit_log set after = '{"x":1}' where org_id = $1 and seq = $2`,
    ],
    ['a redaction is removed', 'delete from governance.audit_redactions where org_id = $1 and seq = $2'],
    [
      'a row is redacted without a record of it',
      `with changed as (update governance.audit_log set actor_name = 'x', salt = decode(repeat('00', 32), 'hex')
         where org_id = $1 and seq = 1 returning *)
       insert into governance.audit_redactions select org_id, 1, 2, sha256(salt) from changed`,
    ],
    [
      'a record names another row, too',
      `insert into governance.audit_redactions
       select org_id, 1, redacted_by, commitment from governance.audit_redactions r where org_id = $1 and seq = $2
       on conflict do nothing`,
    ],
  ])('is invalid if %s', async (_what, sql) => {
    await tampered(sql, async () => expect(await stage.verify()).toMatchObject({ ok: false }));
    expect(await stage.verify()).toMatchObject({ ok: true });
  });

  it('does not let the app change hashes or commitments', async () => {
    for (const column of ['hash', 'prev_hash', 'commitment', 'action', 'seq']) {
      const attempt = app.app.get(OrgDatabase).transaction(orgId, async em => {
        await sqlOf(em).query(`update governance.audit_log set ${column} = ${column} where org_id = $1`, [orgId]);
      });
      await expect(attempt).rejects.toThrow(/permission denied/);
    }
  });
});
