import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operatorActor, SCOPES, TokenService, type Scope } from '#access';
import { createOpenApiDocument } from '#governance';
import { OrgDatabase, sqlOf } from '#database';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';

const SECRETS = { username: 'svc-governance', password: 'first-password' };
const CHAT_SECRETS = { signing_secret: 'first-signing-secret', notification_secret: 'xoxb-first-bot-token' };

/** A document with an object of every kind. `email` identifies a user of the organization. */
const documentFor = (email: string) => ({
  version: 1,
  organization: { time_zone: 'Europe/Berlin', sign_in_token_max_days: 30, fiscal_year_first_month: 4 },
  prices: [
    { provider: 'acme', model: 'a-*', input_per_million_usd: 1.25, output_per_million_usd: '2.000000000001' },
    {
      ...{ provider: 'acme', model: 'a-*', input_per_million_usd: 1, output_per_million_usd: 1 },
      ...{ service_tier: 'batch', region: 'eu-west-1', effective_from: '2026-11-01T00:00:00.000Z' },
    },
    { model: 'house', alias: { provider: 'openai', model: 'gpt-4o' } },
  ],
  discounts: [{ provider: 'acme', percent_off: '12.5', effective_until: '2027-11-01T00:00:00.000Z' }],
  policies: [
    { name: 'Zeta', action: 'allow' },
    {
      name: 'No GPT-4 outside research',
      action: 'block',
      model: 'gpt-4*',
      description: 'Agreed: "CISO"\nüß',
      conditions: { department: { not_in: ['Research'] }, 'attributes.level': { gte: 3 } },
    },
  ],
  budgets: [
    { name: 'All', scope: 'organization', amount_usd: 1000, period: 'monthly', enforcement: 'block', split_by: 'user' },
    { name: 'Ada', scope: 'user', user: email, amount_usd: 10.5, period: 'daily', enforcement: 'notify' },
    {
      ...{ name: 'Copilot', scope: { project: 'copilot', user: email }, amount_usd: 1, period: 'weekly' },
      ...{ enforcement: 'block', alert_thresholds: [0.5, 0.9] },
    },
  ],
  budget_parts: [{ budget: 'All', part: email, amount_usd: 50 }],
  limits: [{ name: 'Each', scope: 'organization', split_by: 'user', requests_per_minute: 60 }],
  webhooks: [{ url: 'https://127.0.0.1:9/b', events: ['policy_violation', 'budget_exceeded'], enabled: false }],
  connectors: [
    {
      name: 'Security desk',
      kind: 'servicenow',
      active: false,
      settings: { instance_url: 'https://127.0.0.1:9' },
      routing: { min_severity: 'high', policies: ['No GPT-4 outside research'] },
      secrets: SECRETS,
    },
  ],
  inbound_settings: { allowed_networks: ['203.0.113.0/24'] },
  chat_workspaces: [
    {
      ...{ platform: 'slack', workspace: 'T024BE7LD', secrets: CHAT_SECRETS },
      notifications: {
        incidents: { channel: 'C024BE91L', policies: ['No GPT-4 outside research'], departments: ['Sales'] },
      },
    },
  ],
  anomaly_settings: { sensitivity: 'high', quiet_days: 4 },
});

interface Company {
  orgId: string;
  call: Call;
  email: string;
  document: ReturnType<typeof documentFor>;
}

let app: TestApp;
let company: Company;

beforeAll(async () => {
  app = await startTestApp({ egress: { allow: ['127.0.0.1'] } });
});

afterAll(() => app?.close());

beforeEach(async () => {
  company = await makeCompany();
});

/** An organization with one user. Another organization may have a user with the same address. */
async function makeCompany(email = `${randomUUID()}@example.com`): Promise<Company> {
  const { orgId, call } = await app.addOrganization();
  const made = await call('POST', '/v1/users', { email, name: 'Ada', department: 'Research' });
  if (made.status !== 201) throw new Error(made.text);
  return { orgId, call, email, document: documentFor(email) };
}

async function apply(call: Call, document: unknown, query = '') {
  const answer = await call('PUT', `/v1/configuration${query}`, document);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

const exported = async ({ call }: Company): Promise<string> => (await call('GET', '/v1/configuration')).text;

async function tokenWith(scopes: readonly Scope[], { orgId }: Company): Promise<Call> {
  const request = { name: 'Narrow', role: 'admin', scopes } as const;
  const { token } = await app.app.get(TokenService).issueFor(operatorActor(orgId), request);
  return app.as(token);
}

async function auditRows({ orgId }: Company): Promise<number> {
  const [row] = await app.app
    .get(OrgDatabase)
    .transaction(orgId, em =>
      sqlOf(em).query<{ count: number }>('select count(*)::int as count from governance.audit_log where org_id = $1', [
        orgId,
      ]),
    );
  return row?.count ?? 0;
}

describe('a configuration', () => {
  it('is exported byte for byte the same after it was applied to an empty organization', async () => {
    await apply(company.call, company.document);
    const first = await exported(company);
    const other = await makeCompany(company.email);
    // Secrets are references in an export. This resolver replaces that of the command line.
    const document = JSON.parse(first);
    for (const connector of document.connectors) {
      expect(connector.secrets).toEqual({
        password: { env: 'SECURITY_DESK_PASSWORD' },
        username: { env: 'SECURITY_DESK_USERNAME' },
      });
      connector.secrets = SECRETS;
    }
    const [slack] = document.chat_workspaces;
    expect(slack.secrets).toEqual({
      notification_secret: { env: 'SLACK_T024BE7LD_NOTIFICATION_SECRET' },
      signing_secret: { env: 'SLACK_T024BE7LD_SIGNING_SECRET' },
    });
    slack.secrets = CHAT_SECRETS;
    await apply(other.call, document);
    expect(await exported(other)).toBe(first);
    for (const secret of Object.values({ ...CHAT_SECRETS, ...SECRETS })) expect(first).not.toContain(secret);
  });

  it('changes nothing if it is applied again, with secrets or with references to them', async () => {
    const made = await apply(company.call, company.document);
    expect(made.counts).toEqual({ created: 14, changed: 3, unchanged: 0, pruned: 0, unlisted: 0 });
    const [before, rows] = [await exported(company), await auditRows(company)];
    expect(await apply(company.call, company.document)).toMatchObject({ counts: { unchanged: 17 }, objects: [] });
    expect(await apply(company.call, JSON.parse(before))).toMatchObject({ counts: { unchanged: 17 }, objects: [] });
    expect([await exported(company), await auditRows(company)]).toEqual([before, rows]);
  });

  it.each([
    ['prices', 'GovernancePutPriceDto'],
    ['discounts', 'GovernancePutDiscountDto'],
    ['policies', 'GovernanceCreatePolicyDto'],
    ['budgets', 'GovernanceCreateBudgetDto'],
    ['limits', 'GovernanceCreateLimitDto'],
    ['webhooks', 'GovernanceRegisterWebhookDto'],
    ['connectors', 'GovernanceCreateConnectorDto'],
    ['inbound_settings', 'GovernanceReplaceInboundSettingsDto'],
    ['anomaly_settings', 'GovernanceAnomalySettingsDto'],
    ['organization', 'GovernanceUpdateOrganizationDto'],
  ])('exports of %s every field that a request can set (%s)', async (kind, dto) => {
    const document = structuredClone(company.document);
    const about = { amount_usd: 1, period: 'daily', enforcement: 'notify' };
    const subjects = [
      { scope: 'department', department: 'Sales' },
      { scope: 'model', model: 'gpt-4*' },
      { scope: 'user', user: company.email },
    ];
    await apply(company.call, {
      ...document,
      budgets: [...document.budgets, ...subjects.map(each => Object.assign({ name: each.scope }, each, about))],
      limits: [
        ...document.limits,
        ...subjects.map(each => Object.assign({ name: each.scope, concurrent_requests: 1 }, each)),
      ],
    });
    const value = JSON.parse(await exported(company))[kind];
    const shown = new Set([value].flat().flatMap((object: object) => Object.keys(object)));
    const schema = createOpenApiDocument(app.app).components?.schemas?.[dto];
    const settable = schema && 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
    expect(settable.length).toBeGreaterThan(0);
    // The document identifies a user by address. It does not contain the name of an organization.
    const names = settable.map(field => (field === 'user_id' ? 'user' : field));
    expect(names.filter(field => !shown.has(field) && !(kind === 'organization' && field === 'name'))).toEqual([]);
  });

  it('is compared field by field, and a dry run changes nothing', async () => {
    await apply(company.call, company.document);
    const [before, rows] = [await exported(company), await auditRows(company)];
    const changed = structuredClone(company.document);
    changed.policies[1]!.conditions!.department.not_in.push('Legal');
    changed.policies.push({ name: 'New', action: 'alert' });
    changed.budgets.splice(0, 1);
    changed.budget_parts = [];
    changed.connectors[0]!.secrets.password = 'second-password';
    const slack = { ...changed.chat_workspaces[0]!, secrets: { signing_secret: 'second-signing-secret' } };
    Object.assign(changed, { chat_workspaces: [{ ...slack, notifications: { approvals: { channel: 'C024BE92M' } } }] });
    const answer = await apply(company.call, changed, '?dry_run=true&prune=true');
    expect(answer.dry_run).toBe(true);
    const change = (field: string, from: unknown, to: unknown) => ({ field, from, to });
    expect(answer.objects).toEqual([
      {
        ...{ kind: 'policies', name: 'No GPT-4 outside research', outcome: 'changed' },
        changes: [change('conditions.department.not_in', ['Research'], ['Research', 'Legal'])],
      },
      { kind: 'policies', name: 'New', outcome: 'created', changes: [] },
      { kind: 'budgets', name: 'All', outcome: 'pruned', changes: [] },
      { kind: 'budget_parts', name: `All / ${company.email}`, outcome: 'pruned', changes: [] },
      {
        ...{ kind: 'connectors', name: 'Security desk', outcome: 'changed' },
        changes: [change('secrets.password', '(secret)', '(secret)')],
      },
      {
        ...{ kind: 'chat_workspaces', name: 'slack T024BE7LD', outcome: 'changed' },
        changes: [
          change('notifications.approvals', null, { channel: 'C024BE92M' }),
          change('notifications.incidents', company.document.chat_workspaces[0]!.notifications.incidents, null),
          change('secrets.signing_secret', '(secret)', '(secret)'),
        ],
      },
    ]);
    expect(JSON.stringify(answer)).not.toContain('second-password');
    expect([await exported(company), await auditRows(company)]).toEqual([before, rows]);
    const applied = await apply(company.call, changed, '?prune=true');
    expect(applied.objects).toEqual(answer.objects);
    expect(await apply(company.call, changed, '?prune=true')).toMatchObject({ objects: [] });
  });

  it('keeps objects that a document lacks unless it is pruned, and never changes kinds that the document lacks', async () => {
    await apply(company.call, company.document);
    const document = { version: 1, policies: [{ name: 'Only', action: 'alert' }] };
    const kept = await apply(company.call, document);
    expect(kept.counts).toEqual({ created: 1, changed: 0, unchanged: 0, pruned: 0, unlisted: 2 });
    const refused = await company.call('PUT', '/v1/configuration?prune=true', {
      ...document,
      connectors: company.document.connectors,
    });
    expect([refused.status, refused.body.details[0].field]).toEqual([
      400,
      'connectors "Security desk".routing.policies',
    ]);
    const unknown = { chat_workspaces: company.document.chat_workspaces };
    const answer = await company.call('PUT', '/v1/configuration?prune=true', { ...document, ...unknown });
    expect([answer.status, answer.body.details[0].field]).toEqual([
      400,
      'chat_workspaces "slack T024BE7LD".notifications.incidents.policies',
    ]);
    await apply(company.call, document, '?prune=true');
    const after = JSON.parse(await exported(company));
    expect(after.policies.map(({ name }: { name: string }) => name)).toEqual(['Only']);
    expect(after.budgets).toHaveLength(3);
  });

  it('can be applied again, and elsewhere, after the policies of a routing rule were deleted', async () => {
    await apply(company.call, company.document);
    const { items } = (await company.call('GET', '/v1/policies')).body;
    for (const { id } of items) expect((await company.call('DELETE', `/v1/policies/${id}`)).status).toBe(204);
    const first = await exported(company);
    expect(JSON.parse(first)).toMatchObject({ policies: [], connectors: [{ routing: { policies: [] } }] });
    expect(await apply(company.call, JSON.parse(first))).toMatchObject({ objects: [] });
    const other = await makeCompany(company.email);
    const document = JSON.parse(first);
    document.connectors[0].secrets = SECRETS;
    document.chat_workspaces[0].secrets = CHAT_SECRETS;
    await apply(other.call, document);
    expect(await exported(other)).toBe(first);
  });

  it('shows the signing secret of a new webhook once', async () => {
    const answer = await apply(company.call, company.document);
    const secrets = answer.objects.flatMap((each: { signing_secret?: string }) => each.signing_secret ?? []);
    expect(secrets).toEqual([expect.stringMatching(/^whsec_/)]);
    expect(await exported(company)).not.toContain(secrets[0]);
  });

  it('is validated as a whole before anything changes', async () => {
    const document = {
      version: 1,
      policies: [
        { name: 'Good', action: 'alert' },
        { name: 'Bad', action: 'explode' },
        { name: 'Good', action: 'block' },
      ],
      budgets: [{ name: 'B', scope: 'user', user: 'nobody@example.com', amount_usd: 1, period: 'daily' }],
      gadgets: [],
    };
    const unknown = await company.call('PUT', '/v1/configuration', document);
    expect(unknown.body.details).toEqual([
      {
        field: 'gadgets',
        message: expect.stringContaining('is not a kind of configuration; the kinds are organization'),
      },
    ]);
    const { gadgets: _, ...known } = document;
    const answer = await company.call('PUT', '/v1/configuration', known);
    expect(answer.status).toBe(400);
    expect(answer.body.details.map(({ field }: { field: string }) => field)).toEqual([
      'policies[1].action',
      'policies',
      'budgets[0].user',
    ]);
    expect(JSON.parse(await exported(company)).policies).toEqual([]);
  });

  it('refuses to change an immutable field', async () => {
    await apply(company.call, company.document);
    const changed = structuredClone(company.document);
    changed.budgets[1]!.period = 'weekly';
    const answer = await company.call('PUT', '/v1/configuration', changed);
    expect(answer.body.details).toEqual([
      { field: 'budgets "Ada".period', message: expect.stringContaining('cannot be changed') },
    ]);
  });

  it('is refused with 409 while two objects of one kind have the same name', async () => {
    for (const action of ['alert', 'block']) await company.call('POST', '/v1/policies', { name: 'Twin', action });
    for (const answer of [
      await company.call('GET', '/v1/configuration'),
      await company.call('PUT', '/v1/configuration', { version: 1, policies: [] }),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.body.message).toContain('Several policies are named "Twin"');
    }
    // A document without policies can still be applied.
    await apply(company.call, { version: 1, limits: [] });
  });

  it('is audited with the applying user, with one version per change of a policy', async () => {
    const [user] = (await company.call('GET', '/v1/users')).body.items;
    const request = { name: 'Deploy', role: 'admin', userId: user.id } as const;
    const { token, record } = await app.app.get(TokenService).issueFor(operatorActor(company.orgId), request);
    await apply(app.as(token), { version: 1, policies: [{ name: 'P', action: 'alert' }] });
    await apply(app.as(token), { version: 1, policies: [{ name: 'P', action: 'block' }] });
    const { items } = (await company.call('GET', '/v1/audit-log?limit=2')).body;
    expect(items.map((row: { action: string; actor_id: string }) => [row.action, row.actor_id])).toEqual([
      ['policy.updated', record.id],
      ['policy.created', record.id],
    ]);
    const policy = (await company.call('GET', '/v1/policies')).body.items[0];
    expect(policy).toMatchObject({ version: 2, action: 'block', severity: 'high' });
  });

  it.each<[string, Scope]>([
    ['read', 'policies:read'],
    ['changed', 'policies:write'],
    ['compared', 'organization:write'],
  ])('cannot be %s without the scope for it', async (_, missing) => {
    const narrow = await tokenWith(
      SCOPES.filter(scope => scope !== missing),
      company,
    );
    const answer = await narrow('PUT', '/v1/configuration?dry_run=true', { version: 1, policies: [] });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain(missing);
    // A kind that the document does not contain needs no scope.
    if (missing === 'organization:write') return;
    expect((await narrow('PUT', '/v1/configuration?dry_run=true', { version: 1, limits: [] })).status).toBe(200);
  });

  it('creates every object once for concurrent applies', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => company.call('PUT', '/v1/configuration', company.document)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ body }) => body.counts.created > 0)).toHaveLength(1);
  });
});
