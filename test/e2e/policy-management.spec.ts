import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const valid = { name: 'Research only', action: 'block' };

const create = (body: object = {}) => app.call('POST', '/v1/policies', { ...valid, ...body });
const created = async (body: object = {}) => (await create(body)).body;
const put = (id: string, body: unknown) => app.call('PUT', `/v1/policies/${id}`, body);

function expectRefusal(answer: Answer, field: string): void {
  expect(answer.status).toBe(400);
  expect(answer.body.error).toBe('bad_request');
  expect(answer.body.details.map((detail: { field: string }) => detail.field)).toContain(field);
}

describe('a policy', () => {
  it('has every field of the contract, with its type', async () => {
    const policy = await created({
      description: 'Agreed.',
      model: 'gpt-4',
      conditions: { department: { not_in: ['Research'] } },
    });
    expect(policy).toMatchObject({
      org_id: app.orgId,
      name: 'Research only',
      description: 'Agreed.',
      model: 'gpt-4',
      action: 'block',
      conditions: { department: { not_in: ['Research'] } },
      enabled: true,
    });
    expect(policy.id).toMatch(UUID);
    expect(policy.created_at).toMatch(INSTANT);
    expect(policy.updated_at).toBe(policy.created_at);
  });

  it('shows fields that were left out as null, {} or their default', async () => {
    expect(await created()).toMatchObject({ description: null, model: null, conditions: {}, enabled: true });
  });

  it('has version 1 and the severity of its action', async () => {
    expect(await created()).toMatchObject({ version: 1, severity: 'high' });
    expect(await created({ action: 'alert' })).toMatchObject({ severity: 'medium' });
    expect(await created({ action: 'allow' })).toMatchObject({ severity: null });
    expect(await created({ severity: 'critical' })).toMatchObject({ severity: 'critical' });
  });
});

describe('conditions', () => {
  it('are returned as they were sent', async () => {
    const conditions = {
      department: { not_in: ['Research', 'Zoë 🦊', ''] },
      'attributes.level': { gte: 2.5, lt: 1e21 },
      email_domain: { ends_with: '.example.com' },
    };
    const { id } = await created({ conditions });
    expect((await app.call('GET', `/v1/policies/${id}`)).body.conditions).toEqual(conditions);
  });

  it.each([
    ['an entry that is not a string', { department: { not_in: ['a', 'b', 3] } }, 'conditions.department.not_in[2]'],
    ['an operand that is not an array', { department: { not_in: 'a' } }, 'conditions.department.not_in'],
    ['an unknown operator', { department: { like: 'a' } }, 'conditions.department.like'],
    ['an unknown attribute', { shoe_size: { in: ['a'] } }, 'conditions.shoe_size'],
    ['an attribute named constructor', { constructor: { in: ['a'] } }, 'conditions.constructor'],
    ['no operator', { department: {} }, 'conditions.department'],
    ['a list', [], 'conditions'],
    ['null', null, 'conditions'],
    ['a text', 'department', 'conditions'],
  ])('with %s are refused with the path', async (_title, conditions, path) => {
    expectRefusal(await create({ conditions }), path);
    expectRefusal(await put((await created()).id, { conditions }), path);
  });

  it('are refused with the known attributes and operators if one is unknown', async () => {
    expect((await create({ conditions: { shoe_size: { in: [] } } })).body.message).toContain('department');
    expect((await create({ conditions: { department: { like: 'a' } } })).body.message).toContain('not_in');
  });

  it('are replaced as a whole by an update', async () => {
    const { id } = await created({ conditions: { department: { not_in: ['A'] }, role: { eq: 'admin' } } });
    const { body } = await put(id, { conditions: { role: { in: ['member'] } } });
    expect(body.conditions).toEqual({ role: { in: ['member'] } });
    expect((await put(id, { conditions: {} })).body.conditions).toEqual({});
  });
});

describe('GET /v1/policies', () => {
  it('returns every policy once over all pages, newest first', async () => {
    const { call } = await app.addOrganization();
    const names = Array.from({ length: 7 }, (_, at) => `policy ${at}`);
    for (const name of names) {
      app.clock.advance(1);
      await call('POST', '/v1/policies', { ...valid, name });
    }
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page++) {
      const { status, body } = await call('GET', `/v1/policies?limit=3${cursor}`);
      expect(status).toBe(200);
      expect(body.total_count).toBe(7);
      seen.push(...body.items.map((item: { name: string }) => item.name));
      expect(body.has_more).toBe(page < 2);
      expect(body.next_cursor === null).toBe(page === 2);
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    expect(seen).toEqual(names.toReversed());
  });

  it('shows the same policy objects as GET by id', async () => {
    const { call } = await app.addOrganization();
    const { body: policy } = await call('POST', '/v1/policies', { ...valid, conditions: { role: { in: ['member'] } } });
    expect((await call('GET', '/v1/policies')).body.items).toEqual([policy]);
  });

  it('keeps its order while policies are created and deleted between pages', async () => {
    const { call } = await app.addOrganization();
    const ids: string[] = [];
    for (let at = 0; at < 4; at++) {
      app.clock.advance(1);
      ids.push((await call('POST', '/v1/policies', valid)).body.id);
    }
    const first = (await call('GET', '/v1/policies?limit=2')).body;
    app.clock.advance(1);
    await call('POST', '/v1/policies', valid);
    await call('DELETE', `/v1/policies/${ids[3]}`);
    const second = (await call('GET', `/v1/policies?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
    expect(second.items.map((item: { id: string }) => item.id)).toEqual([ids[1], ids[0]]);
  });

  it.each(['nonsense', 'k1.AAAA'])('refuses the altered cursor %s', async cursor => {
    expectRefusal(await app.call('GET', `/v1/policies?cursor=${cursor}`), 'cursor');
  });

  it("refuses another organization's cursor and an unknown parameter", async () => {
    const { call } = await app.addOrganization();
    await call('POST', '/v1/policies', valid);
    await call('POST', '/v1/policies', valid);
    const { next_cursor: cursor } = (await call('GET', '/v1/policies?limit=1')).body;
    expectRefusal(await app.call('GET', `/v1/policies?cursor=${encodeURIComponent(cursor)}`), 'cursor');
    expectRefusal(await app.call('GET', '/v1/policies?offset=3'), 'offset');
  });
});

describe('POST /v1/policies', () => {
  it('answers 201 with the created policy', async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect((await app.call('GET', `/v1/policies/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it.each([
    ['name', null],
    ['name', 5],
    ['name', ''],
    ['name', ' \t'],
    ['name', 'nul\0'],
    ['action', 'deny'],
    ['action', 'Block'],
    ['action', null],
    ['action', ['block']],
    ['description', 7],
    ['description', 'half \ud800'],
    ['model', ''],
    ['model', 4],
    ['model', ['gpt-4']],
    ['enabled', 'true'],
    ['enabled', 1],
    ['enabled', null],
    ['severity', 'terrible'],
    ['unheard_of', 1],
  ])('answers 400 to %s = %j, on create and update', async (field, value) => {
    expectRefusal(await create({ [field]: value }), field);
    const policy = await created();
    expectRefusal(await put(policy.id, { [field]: value }), field);
    expect((await app.call('GET', `/v1/policies/${policy.id}`)).body).toEqual(policy);
  });

  it('accepts names of 255 characters, counted as code points', async () => {
    expect((await create({ name: 'x'.repeat(255) })).status).toBe(201);
    expect((await create({ name: '🦊'.repeat(255) })).body.name).toBe('🦊'.repeat(255));
    expectRefusal(await create({ name: '🦊'.repeat(256) }), 'name');
  });

  it('reports errors of all fields at once, nested ones too', async () => {
    const answer = await create({ name: '', model: '', conditions: { department: { not_in: [1, 'a', 2] } } });
    expect(answer.body.details.map((detail: { field: string }) => detail.field).sort()).toEqual([
      'conditions.department.not_in[0]',
      'conditions.department.not_in[2]',
      'model',
      'name',
    ]);
  });

  it.each([['[]'], ['"text"'], ['null'], ['{'], ['']])('refuses the body %j', async body => {
    const answer = await app.call('POST', '/v1/policies', body, { 'content-type': 'application/json' });
    expect([400, 415]).toContain(answer.status);
  });

  it('ignores the read-only fields of the resource', async () => {
    const { body } = await create({
      id: randomUUID(),
      org_id: randomUUID(),
      created_at: '2000-01-01T00:00:00Z',
      updated_at: 1,
      version: 9,
    });
    expect(body).toMatchObject({ org_id: app.orgId, version: 1 });
    expect(body.created_at).not.toMatch(/^2000/);
  });
});

describe('GET /v1/policies/{id}', () => {
  it('answers 200 with the policy', async () => {
    const policy = await created();
    expect(await app.call('GET', `/v1/policies/${policy.id}`)).toMatchObject({ status: 200, body: policy });
  });
});

describe('PUT /v1/policies/{id}', () => {
  it('changes only the field in the body, whichever it is', async () => {
    const before = await created({ description: 'a', model: 'm', conditions: { role: { in: ['x'] } } });
    const changes = {
      name: 'Another name',
      description: 'b',
      model: 'other*',
      action: 'alert',
      conditions: { department: { not_in: ['y'] } },
      enabled: false,
    };
    const expected = { ...before };
    for (const [field, value] of Object.entries(changes)) {
      const { status, body } = await put(before.id, { [field]: value });
      expect(status).toBe(200);
      Object.assign(expected, { [field]: value, version: expected.version + 1, updated_at: body.updated_at });
      expect(body).toEqual(expected);
    }
    expect((await app.call('GET', `/v1/policies/${before.id}`)).body).toEqual(expected);
  });

  it('treats model null as all models, and description null as none', async () => {
    const { id } = await created({ model: 'm', description: 'd' });
    expect((await put(id, { model: null, description: null })).body).toMatchObject({ model: null, description: null });
  });

  it('changes nothing if nothing differs: empty body, or the policy as it was read', async () => {
    const policy = await created({ conditions: { role: { in: ['x'] } }, description: 'd' });
    const entries = await auditOf(policy.id);
    app.clock.advance(1_000);
    expect(await put(policy.id, {})).toMatchObject({ status: 200, body: policy });
    expect(await put(policy.id, policy)).toMatchObject({ status: 200, body: policy });
    expect(await auditOf(policy.id)).toEqual(entries);
  });

  it('changes updated_at and keeps the configuration if enabled is set to false and back', async () => {
    const policy = await created({ model: 'm', conditions: { role: { in: ['x'] } } });
    app.clock.advance(1_000);
    const { body: disabled } = await put(policy.id, { enabled: false });
    expect(disabled).toEqual({ ...policy, enabled: false, version: 2, updated_at: disabled.updated_at });
    expect(Date.parse(disabled.updated_at)).toBe(Date.parse(policy.updated_at) + 1_000);
    expect((await put(policy.id, { enabled: true })).body).toMatchObject({ enabled: true, version: 3 });
  });

  it('increases updated_at, even if the clock does not advance or goes back', async () => {
    const policy = await created();
    const { body: second } = await put(policy.id, { name: 'second' });
    app.clock.advance(-60_000);
    const { body: third } = await put(policy.id, { name: 'third' });
    app.clock.advance(60_000);
    expect([policy.updated_at, second.updated_at, third.updated_at].map(Date.parse)).toEqual(
      [0, 1, 2].map(later => Date.parse(policy.updated_at) + later),
    );
  });

  it('loses no change of concurrent requests', async () => {
    const policy = await created();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => put(policy.id, { name: `name ${at}` })));
    expect(answers.map(answer => answer.body.version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, at) => at + 2),
    );
    expect(await auditOf(policy.id)).toHaveLength(13);
  });
});

describe('DELETE /v1/policies/{id}', () => {
  it('answers 204 with an empty body, and the policy is deleted permanently', async () => {
    const { id } = await created();
    const answer = await app.call('DELETE', `/v1/policies/${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await app.call('GET', `/v1/policies/${id}`)).status).toBe(404);
    expect((await put(id, { enabled: true })).status).toBe(404);
    expect(await app.call('DELETE', `/v1/policies/${id}`)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

describe('access to policies', () => {
  const routes = (id: string): [string, string, object?][] => [
    ['GET', '/v1/policies'],
    ['POST', '/v1/policies', valid],
    ['GET', `/v1/policies/${id}`],
    ['PUT', `/v1/policies/${id}`, { name: 'x' }],
    ['DELETE', `/v1/policies/${id}`],
  ];

  it('answers 401 unauthorized without a valid token, on every endpoint', async () => {
    const { id } = await created();
    for (const token of [null, 'nonsense', `${app.adminToken.slice(0, -1)}!`]) {
      for (const [method, path, body] of routes(id)) {
        const answer = await app.as(token)(method, path, body);
        expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
  });

  it('answers 429 rate_limited when the limit is reached', async () => {
    const limited = await startTestApp({ requestsPerMinute: 5 });
    try {
      for (let at = 0; at < 5; at++) expect((await limited.call('GET', '/v1/policies')).status).toBe(200);
      for (const [method, path, body] of routes(UNKNOWN)) {
        const answer = await limited.call(method, path, body);
        expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      await limited.close();
    }
  });

  it('answers for a policy of another organization as for an unknown one', async () => {
    const { id } = await created();
    const { call } = await app.addOrganization();
    for (const [method, path, body] of routes(id).slice(2)) {
      expect((await call(method, path, body)).status).toBe(404);
    }
    expect((await app.call('GET', `/v1/policies/${id}`)).body.name).toBe(valid.name);
    expect((await call('GET', '/v1/policies')).body.items).toEqual([]);
  });

  it('lets an auditor read but not write, and refuses both for an agent', async () => {
    const { id } = await created();
    const auditor = await app.addToken('auditor');
    const agent = await app.addToken('agent');
    for (const [method, path, body] of routes(id)) {
      expect((await agent.call(method, path, body)).status).toBe(403);
      expect((await auditor.call(method, path, body)).status).toBe(method === 'GET' ? 200 : 403);
    }
  });
});

describe('the audit log', () => {
  it('contains each policy before and after each change', async () => {
    const policy = await created();
    const { body: changed } = await put(policy.id, { name: 'Changed' });
    await app.call('DELETE', `/v1/policies/${policy.id}`);
    const entries = await auditOf(policy.id);
    expect(entries.map(({ action }) => action)).toEqual(['policy.created', 'policy.updated', 'policy.deleted']);
    expect(entries.map(({ before, after }) => [before, after])).toEqual([
      [null, policy],
      [policy, changed],
      [changed, null],
    ]);
  });
});

describe('the number of policies', () => {
  it('is limited to 10,000; one more is answered with 409 and the remedy', async () => {
    const { orgId, call } = await app.addOrganization();
    await app.database.asOwner(
      `insert into governance.policies (org_id, id, name, action, created_at, updated_at)
       select $1, gen_random_uuid(), 'p' || n, 'allow', now(), now() from generate_series(1, 9999) n`,
      [orgId],
    );
    const statuses = await Promise.all([1, 2, 3].map(async () => (await call('POST', '/v1/policies', valid)).status));
    expect(statuses.sort((a, b) => a - b)).toEqual([201, 409, 409]);
    expect((await call('POST', '/v1/policies', valid)).body).toMatchObject({
      error: 'conflict',
      message: expect.stringContaining('10000'),
    });
  });
});

interface AuditRow {
  action: string;
  before: unknown;
  after: unknown;
}

async function auditOf(id: string): Promise<AuditRow[]> {
  const { body } = await app.call('GET', '/v1/audit-log?limit=100');
  return body.items
    .filter((entry: { resource_id: string }) => entry.resource_id === id)
    .map(({ action, before, after }: AuditRow) => ({ action, before, after }))
    .toReversed();
}
