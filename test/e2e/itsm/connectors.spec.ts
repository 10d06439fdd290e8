import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScriptedAdapter } from '../../support/itsm/scripted-adapter.js';
import type { TestApp } from '../../support/test-app.js';
import { connect, connectorFields, deskStage, startDesk } from './tickets.support.js';

const PASSWORD = 'correct horse battery';
const JIRA = {
  ...{ instance_url: 'https://127.0.0.1:9', api_base_url: 'https://127.0.0.1:9/ex/jira/1' },
  ...{ project_key: 'SEC', issue_type: 'Task' },
};
const NO_ADDRESSES = [
  ...['https://127.0.0.1:99999', 'https://[::1', 'https://%00', 'https://a|b', 'https://<x>', 'https://a:b:c'],
];
const NOBODY = '00000000-0000-7000-8000-000000000000';

let app: TestApp & { desk: ScriptedAdapter };

beforeAll(async () => {
  app = await startDesk();
});

beforeEach(() => app.desk.reset());

afterAll(() => app?.close());

const auditOf = async (call: TestApp['call']) => (await call('GET', '/v1/audit-log?limit=100')).body.items;

describe('the kinds of connectors', () => {
  it('are listed with the schemas of their forms, the built-in ones and those of the host', async () => {
    const { status, body } = await app.call('GET', '/v1/itsm/kinds');
    expect(status).toBe(200);
    expect(body.items.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['servicenow', 'scripted']),
    );
    expect(body.items.at(-1)).toEqual({
      kind: 'scripted',
      title: 'Scripted',
      settings_schema: expect.objectContaining({ required: ['instance_url'] }),
      secrets_schema: expect.objectContaining({ required: ['user', 'password'] }),
      capabilities: { priority: true, labels: true, comment: false, findByKey: 'strong' },
    });
  });
});

describe('a connector', () => {
  it('spec 2.10: a connector has the fields of its kind, and its passwords and tokens are shown to nobody', async () => {
    const { call, orgId } = await app.addOrganization();
    const made = await call('POST', '/v1/itsm/connectors', connectorFields({ name: 'Desk' }));
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      org_id: orgId,
      kind: 'scripted',
      name: 'Desk',
      active: true,
      settings: { instance_url: 'https://127.0.0.1:9' },
      routing: {},
      secret_names: ['password', 'user'],
      problem: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `/v1/itsm/connectors/${made.body.id}`;
    const read = await call('GET', path);
    const list = await call('GET', '/v1/itsm/connectors');
    expect(list.body.items).toEqual([read.body]);
    const changed = await call('PATCH', path, { ...read.body, name: 'Other desk' });
    expect(changed.body).toMatchObject({ name: 'Other desk' });
    const shown = [made.text, read.text, list.text, changed.text, JSON.stringify(await auditOf(call))].join();
    expect(shown).not.toContain(PASSWORD);
    const stored = await app.database.asOwner(
      `select * from governance.itsm_connectors c, governance.secrets s where s.owner_id = c.id`,
    );
    expect(JSON.stringify(stored)).not.toContain(PASSWORD);
    expect(stored).not.toHaveLength(0);
  });

  it('is refused by the schema of its kind, field by field, without repeating the entered values', async () => {
    const { call } = await app.addOrganization();
    const settings = { instance_url: 'ftp://s3cret', other: 1 };
    const secrets = { user: '', password: 'x'.repeat(41) };
    const wrong = await call('POST', '/v1/itsm/connectors', connectorFields({ settings }));
    expect(wrong.status).toBe(400);
    expect(wrong.body.details).toEqual([
      { field: 'settings.other', message: 'is not a field of this kind of connector' },
      { field: 'settings.instance_url', message: expect.stringContaining('pattern') },
    ]);
    const hidden = await call('POST', '/v1/itsm/connectors', connectorFields({ secrets }));
    expect(hidden.body.details.map(({ field }: { field: string }) => field).sort()).toEqual([
      'secrets.password',
      'secrets.user',
    ]);
    const missing = await call('POST', '/v1/itsm/connectors', connectorFields({ secrets: {} }));
    expect(missing.body.details).toEqual([
      { field: 'secrets.user', message: 'is required' },
      { field: 'secrets.password', message: 'is required' },
    ]);
    expect(wrong.text + hidden.text + missing.text).not.toMatch(/s3cret|xxxx/);
    expect((await call('POST', '/v1/itsm/connectors', connectorFields({ kind: 'fax' }))).body.details).toEqual([
      { field: 'kind', message: expect.stringContaining('servicenow') },
    ]);
  });

  it.each([
    ['servicenow', 'instance_url', { instance_url: 'https://127.0.0.1:9' }, { username: 'me', password: PASSWORD }],
    ['jira', 'instance_url', JIRA, { email: 'me@example.com', api_token: 'token-of-mine' }],
    ['jira', 'api_base_url', JIRA, { email: 'me@example.com', api_token: 'token-of-mine' }],
    ['scripted', 'instance_url', { instance_url: 'https://127.0.0.1:9' }, { user: 'me', password: PASSWORD }],
  ])('of kind %s takes no %s that is no address', async (kind, field, settings, secrets) => {
    const { call } = await app.addOrganization();
    const made = await call('POST', '/v1/itsm/connectors', { kind, name: 'Good', settings, secrets });
    expect(made.status).toBe(201);
    const path = `/v1/itsm/connectors/${made.body.id}`;
    for (const url of NO_ADDRESSES) {
      const wrong = { ...settings, [field]: url };
      const fields = { kind, name: 'Wrong', settings: wrong, secrets };
      for (const answer of [
        await call('POST', '/v1/itsm/connectors', fields),
        await call('PATCH', path, { settings: wrong }),
      ]) {
        expect([url, answer.status, answer.body.details]).toEqual([
          url,
          400,
          [{ field: `settings.${field}`, message: expect.any(String) }],
        ]);
      }
    }
  });

  it('must not call an address that the operator does not allow', async () => {
    const { call } = await app.addOrganization();
    const settings = { instance_url: 'https://10.0.0.7' };
    const refused = await call('POST', '/v1/itsm/connectors', connectorFields({ settings }));
    expect(refused.status).toBe(400);
    expect(refused.body.details).toEqual([{ field: 'settings', message: expect.stringContaining('10.0.0.7') }]);
  });

  it('requires all its secrets again when its address changes, and says so', async () => {
    const { call } = await app.addOrganization();
    const { id } = await connect(call);
    const path = `/v1/itsm/connectors/${id}`;
    const settings = { instance_url: 'https://127.0.0.2:9' };
    for (const secrets of [undefined, { password: 'new password' }]) {
      const refused = await call('PATCH', path, { settings, secrets });
      expect(refused.status).toBe(400);
      expect(refused.body.details).toContainEqual({
        field: 'secrets.user',
        message: 'must be entered again, because the connector now calls https://127.0.0.2:9',
      });
    }
    expect((await call('GET', path)).body.settings.instance_url).toBe('https://127.0.0.1:9');
    const moved = await call('PATCH', path, { settings, secrets: { user: 'me', password: 'new password' } });
    expect(moved.body).toMatchObject({ settings, secret_names: ['password', 'user'] });
    const sameOrigin = await call('PATCH', path, { settings: { ...settings, project: 'SEC' } });
    expect(sameOrigin.status).toBe(200);
  });

  it('keeps the secrets that are missing in the body, and removes those that are null', async () => {
    const { call } = await app.addOrganization();
    const { id } = await connect(call);
    const path = `/v1/itsm/connectors/${id}`;
    expect((await call('PATCH', path, { secrets: { extra: 'more' } })).body.secret_names).toEqual([
      'extra',
      'password',
      'user',
    ]);
    expect((await call('PATCH', path, { secrets: { extra: null } })).body.secret_names).toEqual(['password', 'user']);
    expect((await call('PATCH', path, { secrets: { user: null } })).status).toBe(400);
    const seen: unknown[] = [];
    app.desk.script = ({ secrets }) => void seen.push(secrets);
    await call('PATCH', path, { secrets: { user: 'you' } });
    await call('POST', `${path}/test`);
    expect(seen).toEqual([{ user: 'you', password: PASSWORD }]);
  });

  it('has a unique name and an immutable kind', async () => {
    const { call } = await app.addOrganization();
    const { id } = await connect(call, { name: 'Desk' });
    expect((await call('POST', '/v1/itsm/connectors', connectorFields({ name: 'DESK' }))).status).toBe(409);
    const changed = await call('PATCH', `/v1/itsm/connectors/${id}`, { kind: 'servicenow' });
    expect(changed.body.details).toEqual([{ field: 'kind', message: 'cannot change; create another connector' }]);
  });

  it('belongs to one organization, and needs the scopes', async () => {
    const { call } = await app.addOrganization();
    const other = await app.addOrganization();
    const { id } = await connect(call);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined;
      for (const known of [id, NOBODY]) {
        expect((await other.call(method, `/v1/itsm/connectors/${known}${path}`, body)).status).toBe(404);
      }
    }
    const auditor = await app.addToken('auditor');
    expect((await auditor.call('GET', '/v1/itsm/connectors')).status).toBe(200);
    expect((await auditor.call('POST', '/v1/itsm/connectors', connectorFields())).status).toBe(403);
    expect((await (await app.addToken('member')).call('GET', '/v1/itsm/tickets')).status).toBe(403);
  });

  it('has an audit entry for each change', async () => {
    const { call } = await app.addOrganization();
    const { id } = await connect(call, { name: 'Desk' });
    await call('PATCH', `/v1/itsm/connectors/${id}`, { active: false, secrets: { extra: 'more' } });
    await call('PATCH', `/v1/itsm/connectors/${id}`, { active: false });
    expect((await call('DELETE', `/v1/itsm/connectors/${id}`)).status).toBe(204);
    const rows = (await auditOf(call)).filter(({ resource_id }: { resource_id: string }) => resource_id === id);
    expect(rows.map(({ action }: { action: string }) => action)).toEqual([
      'itsm_connector.deleted',
      'itsm_connector.updated',
      'itsm_connector.created',
    ]);
    expect(rows[1]).toMatchObject({ before: { active: true }, after: { active: false, secrets_changed: true } });
  });
});

describe('additional fields of a connector', () => {
  const jira = (fields: unknown) => ({
    ...{ kind: 'jira', name: `Jira ${randomUUID()}`, active: false },
    settings: { instance_url: 'https://127.0.0.1:9', project_key: 'SEC', issue_type: 'Task', fields },
    secrets: { email: 'tickets@example.com', api_token: 'a-token-of-this-test' },
  });

  it('are stored unchanged, whatever JSON they contain', async () => {
    const { call } = await app.addOrganization();
    const fields = { customfield_10050: [{ value: 'Security', child: { id: '7' } }], duedate: '2026-12-01' };
    const { status, body } = await call('POST', '/v1/itsm/connectors', jira(fields));
    expect([status, body.settings.fields]).toEqual([201, fields]);
  });

  it.each([
    ['has the name of a field that every ticket has', { summary: 'x' }, 'settings.fields.summary'],
    ['has an invalid field name', { 'x y': 'z' }, 'settings.fields.x y'],
    ['is not inside an object', 'x', 'settings.fields'],
    ['contains a value that cannot be stored', { customfield_1: { value: ['a\u0000'] } }, 'settings.fields'],
  ])('are refused by name if one %s', async (_what, fields, field) => {
    const { call } = await app.addOrganization();
    const { status, body } = await call('POST', '/v1/itsm/connectors', jira(fields));
    expect([status, body.details.map((each: { field: string }) => each.field)]).toEqual([400, [field]]);
  });
});

describe('a test of a connector', () => {
  it('spec 6.5: a test of a connector creates a ticket of low severity and shows its external id', async () => {
    const { call, connector } = await deskStage(app);
    const { status, body } = await call('POST', `/v1/itsm/connectors/${connector.id}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      connector_id: connector.id,
      passed: true,
      checks: [
        { name: 'The platform answers', status: 'passed' },
        { name: 'The account finds the ticket by its key', status: 'passed', message: 'It is TKT-1.' },
      ],
      external_ticket_id: 'TKT-1',
      ticket: {
        origin: 'test',
        severity: 'low',
        incident_id: null,
        sync_state: 'created',
        status: 'open',
        attempts: 1,
      },
    });
    expect(app.desk.tickets).toMatchObject([
      { key: body.ticket.id, body: { severity: 'low', labels: ['service', 'ai-policy', 'low'] } },
    ]);
  });

  it('fails if the account cannot see the created ticket', async () => {
    const { call, connector } = await deskStage(app);
    app.desk.search = () => [];
    const { body } = await call('POST', `/v1/itsm/connectors/${connector.id}/test`);
    expect(body).toMatchObject({
      ...{ passed: false, external_ticket_id: 'TKT-1', ticket: { sync_state: 'created' } },
      checks: [{ status: 'passed' }, { status: 'failed', message: expect.stringContaining('read access to tickets') }],
    });
  });

  it('creates nothing if a check failed', async () => {
    const { call, connector, tickets } = await deskStage(app);
    app.desk.checks = [
      {
        name: 'The account',
        status: 'failed',
        message: `no ${PASSWORD}, no ${Buffer.from(`robot@example.com:${PASSWORD}`).toString('base64')}`,
      },
    ];
    const { body } = await call('POST', `/v1/itsm/connectors/${connector.id}/test`);
    expect(body).toEqual({
      ...{ connector_id: connector.id, passed: false, external_ticket_id: null, ticket: null },
      checks: [{ name: 'The account', status: 'failed', message: 'no [hidden], no [hidden]' }],
    });
    expect([app.desk.creates, await tickets()]).toEqual([0, []]);
  });

  it("shows the platform's refusal", async () => {
    const { call, connector } = await deskStage(app);
    app.desk.script = () => ({
      kind: 'rejected',
      code: 'field',
      message: 'No.',
      fields: { priority: `is not ${PASSWORD}` },
    });
    const { body } = await call('POST', `/v1/itsm/connectors/${connector.id}/test`);
    expect(body).toMatchObject({
      passed: false,
      ticket: {
        sync_state: 'rejected',
        error_code: 'field',
        error: 'No.',
        error_fields: { priority: 'is not [hidden]' },
      },
    });
    app.desk.script = () => ({ kind: 'retryable', message: 'Nobody is there.' });
    const away = await call('POST', `/v1/itsm/connectors/${connector.id}/test`);
    expect(away.body.ticket).toMatchObject({
      sync_state: 'rejected',
      error_code: 'unreachable',
      next_attempt_at: null,
    });
  });

  it('is refused while the connector is inactive', async () => {
    const { call, connector } = await deskStage(app, { active: false });
    expect((await call('POST', `/v1/itsm/connectors/${connector.id}/test`)).status).toBe(409);
    expect(app.desk.creates).toBe(0);
  });
});
