// All these tests are in one file, because they use the same two replicas. Starting the replicas takes longer than all
// the tests.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChangeFeed } from '#database';
import { FakeUserDirectory, startAccessReplica } from './testing/access-replica.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-postgres.js';
import { OrganizationService } from './organizations/organization.service.js';
import type { Role } from './principals/scopes.js';
import { newToken } from './tokens/token-format.js';
import { SuppliedTokens } from './tokens/supplied-tokens.js';
import { TokenService } from './tokens/token.service.js';
import { TokenUse } from './tokens/token-use.js';

type Replica = Awaited<ReturnType<typeof startAccessReplica>>;

const ZONES = ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'Africa/Nairobi'];
const DAY = 24 * 60 * 60 * 1000;

describe('access over HTTP', () => {
  const clock = new ManualClock();
  const users = new FakeUserDirectory();
  let database: TestDatabase;
  let one: Replica;
  let two: Replica;
  let orgId: string;
  let admin: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    one = await startAccessReplica(database, { clock, users });
    two = await startAccessReplica(database, { clock, users });
    orgId = (await one.app.get(OrganizationService).create('First')).id;
    admin = await tokenOf(orgId, 'admin');
  });

  afterAll(async () => {
    await one.close();
    await two.close();
    await database.drop();
  });

  async function tokenOf(organization: string, role: Role): Promise<string> {
    return (await one.app.get(TokenService).issue(organization, { name: role, role })).token;
  }

  async function ask(method: string, path: string, token: string | null, body?: unknown, replica = one) {
    const response = await fetch(replica.url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }

  describe('credentials', () => {
    it.each([
      ['no credential', {}],
      ['another scheme', { authorization: 'Basic YTpi' }],
      ['an empty credential', { authorization: 'Bearer ' }],
      ['an unknown token', { authorization: `Bearer ${newToken()}` }],
      ['a token with a wrong checksum', { authorization: `Bearer gov_${'0'.repeat(49)}` }],
      ['a credential of more than 8 KiB', { authorization: `Bearer ${'x'.repeat(8200)}` }],
    ])('answers 401 with WWW-Authenticate to %s', async (_name, headers) => {
      const response = await fetch(`${one.url}/v1/organization`, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toEqual({
        error: 'unauthorized',
        message: expect.any(String),
        request_id: response.headers.get('x-request-id'),
      });
    });

    it('accepts the scheme in any case', async () => {
      const response = await fetch(`${one.url}/v1/organization`, { headers: { authorization: `bEARER ${admin}` } });
      expect(response.status).toBe(200);
    });

    it('answers 403 if the scope is missing, and names it', async () => {
      const agent = await tokenOf(orgId, 'agent');
      const answer = await ask('GET', '/v1/audit-log', agent);
      expect([answer.status, answer.body.error]).toEqual([403, 'forbidden']);
      expect(answer.body.message).toContain('audit:read');
    });

    it('refuses the token of a suspended, inactive or deleted user and accepts that of an active one', async () => {
      const statuses: number[] = [];
      for (const status of ['active', 'suspended', 'inactive'] as const) {
        const owner = users.add('active');
        const { token } = await one.app
          .get(TokenService)
          .issue(orgId, { name: 'own', role: 'auditor', userId: owner.id });
        users.people.splice(users.people.indexOf(owner), 1, { ...owner, status });
        statuses.push((await ask('GET', '/v1/organization', token)).status);
      }
      const gone = users.add('active');
      const { token } = await one.app.get(TokenService).issue(orgId, { name: 'own', role: 'auditor', userId: gone.id });
      users.people.splice(users.people.indexOf(gone), 1);
      statuses.push((await ask('GET', '/v1/organization', token)).status);
      expect(statuses).toEqual([200, 401, 401, 401]);
    });

    it('answers 503, not 401, while the user directory is unavailable', async () => {
      const { token } = await one.app
        .get(TokenService)
        .issue(orgId, { name: 'own', role: 'auditor', userId: users.add('active').id });
      users.failure = new Error('away');
      const answer = await ask('GET', '/v1/organization', token);
      users.failure = undefined;
      expect([answer.status, answer.body.error]).toEqual([503, 'unavailable']);
    });
  });

  describe('organization', () => {
    it('can be read and changed by its own users, and a read body can be written back', async () => {
      const read = await ask('GET', '/v1/organization', admin);
      expect(read.body).toEqual({
        id: orgId,
        name: 'First',
        time_zone: 'UTC',
        sign_in_token_max_days: 90,
        fiscal_year_first_month: 1,
        created_at: '2026-11-20T12:00:00.000Z',
      });
      const written = await ask('PATCH', '/v1/organization', admin, { ...read.body, time_zone: 'Europe/Berlin' });
      expect([written.status, written.body.time_zone, written.body.name]).toEqual([200, 'Europe/Berlin', 'First']);
    });

    it.each([
      [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
      [{ name: '' }, 'name'],
      [{ name: ' \t' }, 'name'],
      [{ name: null }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ nmae: 'x' }, 'nmae'],
    ])('refuses %j with the name of the field', async (body, field) => {
      const answer = await ask('PATCH', '/v1/organization', admin, body);
      expect([answer.status, answer.body.details?.map((each: { field: string }) => each.field)]).toEqual([
        400,
        [field],
      ]);
    });

    it('has a name with visible characters', async () => {
      await expect(one.app.get(OrganizationService).create('  ')).rejects.toThrow('blank');
    });

    it('has an audit log in which each change begins with the previous state', async () => {
      const { id } = await one.app.get(OrganizationService).create('0');
      const own = await tokenOf(id, 'admin');
      const changes = Array.from({ length: 12 }, (_, n) =>
        n % 3 === 0 ? { time_zone: ZONES[n / 3] } : { name: `${n}` },
      );
      const answers = await Promise.all(
        changes.map((body, n) => ask('PATCH', '/v1/organization', own, body, n % 2 ? one : two)),
      );
      expect(answers.map(answer => answer.status)).toEqual(changes.map(() => 200));
      const entries = await updatesOf(id);
      expect(entries).toHaveLength(12);
      const states = [
        { name: '0', time_zone: 'UTC', sign_in_token_max_days: 90, fiscal_year_first_month: 1 },
        ...entries.map(entry => entry.after),
      ];
      expect(entries.map(entry => entry.before)).toEqual(states.slice(0, -1));
      expect((await ask('GET', '/v1/organization', own)).body).toMatchObject(states.at(-1)!);
    });

    it('has no audit entry for a request that changes nothing', async () => {
      const { id } = await one.app.get(OrganizationService).create('Same');
      const own = await tokenOf(id, 'admin');
      const { body: read } = await ask('GET', '/v1/organization', own);
      for (const body of [read, {}, { name: 'Same' }]) {
        expect((await ask('PATCH', '/v1/organization', own, body)).body).toEqual(read);
      }
      expect(await updatesOf(id)).toEqual([]);
      expect(await database.asOwner('select 1 from governance.change_marks where org_id = $1', [id])).toEqual([]);
    });

    async function updatesOf(id: string) {
      return database.asOwner<{ before: object; after: object }>(
        `select before, after from governance.audit_log where org_id = $1 and action = 'organization.updated' order by seq`,
        [id],
      );
    }

    it('is created once when replicas boot together', async () => {
      const id = randomUUID();
      const made = await Promise.all(
        [one, two, one, two].map(each => each.app.get(OrganizationService).ensure('B', { id })),
      );
      expect(made.filter(each => each.created)).toHaveLength(1);
      await expect(one.app.get(OrganizationService).create('B', { id })).rejects.toThrow('already');
    });
  });

  describe('access tokens', () => {
    it('are shown once, are listed newest first without the token, and are invalid after their revocation', async () => {
      clock.advance(1);
      const made = await ask('POST', '/v1/tokens', admin, { name: 'gateway', role: 'agent' });
      expect(made.status).toBe(201);
      expect(made.headers.get('cache-control')).toBe('no-store');
      expect(made.body).toMatchObject({
        name: 'gateway',
        role: 'agent',
        scopes: ['decisions:write', 'usage:write', 'gateway:call'],
        user_id: null,
        last_used_at: null,
        // The new token expires with the token that created it.
        expires_at: '2027-02-18T12:00:00.000Z',
        token: expect.stringMatching(/^gov_[0-9A-Za-z]{49}$/),
      });
      const list = await ask('GET', '/v1/tokens?limit=1', admin);
      expect(list.body.items).toEqual([expect.objectContaining({ id: made.body.id })]);
      expect(JSON.stringify(list.body)).not.toContain(made.body.token);
      expect((await ask('DELETE', `/v1/tokens/${made.body.id}`, admin)).status).toBe(204);
      expect((await ask('DELETE', `/v1/tokens/${made.body.id}`, admin)).status).toBe(404);
      const ids = (await ask('GET', '/v1/tokens?limit=100', admin)).body.items.map((each: { id: string }) => each.id);
      expect(ids).not.toContain(made.body.id);
    });

    it('have pages without gaps or repetitions', async () => {
      const all = (await ask('GET', '/v1/tokens?limit=100', admin)).body;
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await ask('GET', `/v1/tokens?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`, admin);
        expect(page.body.total_count).toBe(all.items.length);
        seen.push(...page.body.items.map((each: { id: string }) => each.id));
        cursor = page.body.next_cursor;
        expect(page.body.has_more).toBe(cursor !== null);
      } while (cursor !== null);
      expect(seen).toEqual(all.items.map((each: { id: string }) => each.id));
    });

    it.each([
      [{ role: 'agent' }, 'name'],
      [{ name: ' ', role: 'agent' }, 'name'],
      [{ name: 'x', role: 'root' }, 'role'],
      [{ name: 'x', role: 'agent', scopes: ['policies:write'] }, 'scopes[0]'],
      [{ name: 'x', role: 'agent', scopes: [] }, 'scopes'],
      [{ name: 'x', role: 'agent', expires_at: '2026-11-20T11:00:00Z' }, 'expires_at'],
      [{ name: 'x', role: 'agent', expires_at: '2027-11-20T12:00:01Z' }, 'expires_at'],
      [{ name: 'x', role: 'agent', expires_at: 'tomorrow' }, 'expires_at'],
      [{ name: 'x', role: 'agent', user_id: randomUUID() }, 'user_id'],
    ])('refuses %j', async (body, field) => {
      const answer = await ask('POST', '/v1/tokens', admin, body);
      expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, field]);
    });

    it('may be valid for a year, to the second', async () => {
      const maker = await one.app.get(TokenService).issue(orgId, { name: 'year', role: 'admin', expiresInDays: 365 });
      const body = { name: 'x', role: 'agent', expires_at: maker.record.expiresAt };
      expect((await ask('POST', '/v1/tokens', maker.token, body)).status).toBe(201);
    });

    it('cannot have rights that their creator does not have', async () => {
      const scopes = ['tokens:write', 'tokens:read', 'decisions:write'];
      const maker = await ask('POST', '/v1/tokens', admin, { name: 'maker', role: 'admin', scopes });
      const grant = (body: object) => ask('POST', '/v1/tokens', maker.body.token, { name: 'x', ...body });
      expect((await grant({ role: 'agent' })).status).toBe(403);
      expect((await grant({ role: 'admin' })).status).toBe(403);
      expect((await grant({ role: 'agent', scopes: ['decisions:write'] })).status).toBe(201);
      expect(
        (await grant({ role: 'agent', scopes: ['decisions:write'], user_id: users.add('active').id })).status,
      ).toBe(403);
    });

    it('stop working when they expire', async () => {
      const expires_at = new Date(clock.now().getTime() + 1000).toISOString();
      const { token } = (await ask('POST', '/v1/tokens', admin, { name: 'x', role: 'auditor', expires_at })).body;
      const before = await ask('GET', '/v1/organization', token);
      clock.advance(1000);
      const after = await ask('GET', '/v1/organization', token);
      expect([before.status, after.status]).toEqual([200, 401]);
    });

    it('stop working on every replica within a second of their revocation', async () => {
      const { id, token } = (await ask('POST', '/v1/tokens', admin, { name: 'x', role: 'auditor' })).body;
      expect((await ask('GET', '/v1/organization', token, undefined, two)).status).toBe(200);
      await ask('DELETE', `/v1/tokens/${id}`, admin);
      expect((await ask('GET', '/v1/organization', token)).status).toBe(401);
      // Replicas must apply the revocation within one second. The second one allows for a machine whose cores are busy.
      const deadline = Date.now() + 2_000;
      let status = 200;
      while (status === 200 && Date.now() < deadline) {
        ({ status } = await ask('GET', '/v1/organization', token, undefined, two));
      }
      expect(status).toBe(401);
    });

    it('are not cached as valid if they are revoked during the look-up', async () => {
      const { id, token } = (await ask('POST', '/v1/tokens', admin, { name: 'x', role: 'auditor' })).body;
      const original = two.database.global.bind(two.database);
      two.database.global = async <Row extends object>(sql: string, parameters?: readonly unknown[]) => {
        const rows = await original<Row>(sql, parameters);
        if (sql.includes('access_token_of')) {
          two.database.global = original;
          await ask('DELETE', `/v1/tokens/${id}`, admin);
          await two.app.get(ChangeFeed).refresh();
        }
        return rows;
      };
      await ask('GET', '/v1/organization', token, undefined, two);
      expect((await ask('GET', '/v1/organization', token, undefined, two)).status).toBe(401);
    });

    it('are verified from memory; only an unknown token of valid form costs a query', async () => {
      const queries: string[] = [];
      const original = two.database.global.bind(two.database);
      two.database.global = (sql: string, parameters?: readonly unknown[]) => {
        if (sql.includes('access_token_of')) queries.push(sql);
        return original(sql, parameters);
      };
      const fresh = await tokenOf(orgId, 'auditor');
      for (let i = 0; i < 5; i++) await ask('GET', '/v1/organization', fresh, undefined, two);
      expect(queries).toHaveLength(1);
      await ask('GET', '/v1/organization', `gov_${'1'.repeat(49)}`, undefined, two);
      await ask('GET', '/v1/organization', 'short', undefined, two);
      expect(queries).toHaveLength(1);
      await ask('GET', '/v1/organization', newToken(), undefined, two);
      expect(queries).toHaveLength(2);
      two.database.global = original;
    });

    it('store their last use after the answer, at most once a minute', async () => {
      const { id, token } = (await ask('POST', '/v1/tokens', admin, { name: 'x', role: 'auditor' })).body;
      const lastUse = async () => {
        await one.app.get(TokenUse).flush();
        const rows = await database.asOwner<{ last_used_at: Date | null }>(
          'select last_used_at from governance.access_tokens where id = $1',
          [id],
        );
        return rows[0]?.last_used_at?.toISOString() ?? null;
      };
      expect(await lastUse()).toBeNull();
      await ask('GET', '/v1/organization', token);
      const first = clock.now().toISOString();
      expect(await lastUse()).toBe(first);
      clock.advance(59_000);
      await ask('GET', '/v1/organization', token);
      expect(await lastUse()).toBe(first);
      clock.advance(1000);
      await ask('GET', '/v1/organization', token);
      expect(await lastUse()).toBe(clock.now().toISOString());
    });

    it('are stored in a form from which they cannot be computed', async () => {
      const rows = await database.asOwner<{ text: string }>(
        'select t::text as text from governance.access_tokens t union all select a::text from governance.audit_log a',
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.some(row => row.text.includes('gov_'))).toBe(false);
    });

    it('of another organization are refused like unknown ones', async () => {
      const other = (await one.app.get(OrganizationService).create('Second')).id;
      const otherAdmin = await tokenOf(other, 'admin');
      const mine = (await ask('POST', '/v1/tokens', admin, { name: 'x', role: 'agent' })).body;
      expect((await ask('DELETE', `/v1/tokens/${mine.id}`, otherAdmin)).status).toBe(404);
      expect((await ask('GET', '/v1/tokens', otherAdmin)).body.items).toHaveLength(1);
      expect((await ask('GET', '/v1/organization', otherAdmin)).body.name).toBe('Second');
    });

    it('with an id that is not a UUID are not found', async () => {
      expect((await ask('DELETE', '/v1/tokens/42', admin)).status).toBe(404);
    });
  });

  describe("the operator's configured token", () => {
    const secret = 'correct-horse-battery-staple-0123456789';

    it('is created once, does not expire, and is not restored after its revocation', async () => {
      const tokens = [one, two, one, two].map(each => each.app.get(SuppliedTokens));
      const made = await Promise.all(tokens.map(each => each.ensure(orgId, secret, { name: 'op', role: 'admin' })));
      expect(made.filter(({ state }) => state === 'created')).toHaveLength(1);
      clock.advance(400 * DAY);
      expect((await ask('GET', '/v1/organization', secret)).status).toBe(200);
      const list = (await ask('GET', '/v1/tokens?limit=100', secret)).body.items;
      const own = list.find((each: { name: string }) => each.name === 'op');
      expect(own.expires_at).toBeNull();
      await ask('DELETE', `/v1/tokens/${own.id}`, secret);
      const again = await one.app.get(SuppliedTokens).ensure(orgId, secret, { name: 'op', role: 'admin' });
      expect(again).toEqual({ state: 'revoked', ended: 0 });
      expect((await ask('GET', '/v1/organization', secret)).status).toBe(401);
      admin = await tokenOf(orgId, 'admin');
    });

    it('cannot belong to two organizations', async () => {
      const other = (await one.app.get(OrganizationService).create('Third')).id;
      const attempt = one.app.get(SuppliedTokens).ensure(other, secret, { name: 'op', role: 'admin' });
      await expect(attempt).rejects.toThrow('in use');
    });
  });
});
