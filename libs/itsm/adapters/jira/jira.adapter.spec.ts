import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, SystemClock, type JsonObject } from '#core';
import { EgressClient } from '#egress';
import { makeAuthority, trustInThisProcess, type Authority } from '../../../../test/support/certificates.js';
import { startJira, type JiraEmulator, type JiraOptions } from '../../../../test/support/itsm/jira-emulator.js';
import { jiraProject, TEAM_FIELD } from '../../../../test/support/itsm/jira-project.js';
import { jiraOpenApiFile } from '../../../../test/support/itsm/jira-openapi.js';
import { late, refuses, type FaultName } from '../../../../test/support/itsm/platform-faults.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { attemptCreate } from '../../adapter/attempt-create.js';
import type { CreateOutcome } from '../../adapter/create-outcome.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { JiraAdapter } from './jira.adapter.js';
import type { JiraContext, JiraSettings } from './jira-settings.js';

const LINK = 'https://governance.example.com/incidents/0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';

function draftOf(more: Partial<TicketDraft> = {}): TicketDraft {
  const severity = more.severity ?? 'high';
  return {
    key: newId(),
    title: '[Acme Gateway] policy_violation: ada@example.com used gpt-4o',
    severity,
    labels: ['acme-gateway', 'ai-policy', severity],
    payload: { user: 'ada@example.com', model: 'gpt-4o', provider: 'openai', policy: { name: 'No “drafts”' } },
    link: LINK,
    ...more,
  };
}

describe('JiraAdapter', () => {
  let authority: Authority;
  let distrust: () => void;
  let egress: EgressClient;
  let jira: JiraEmulator;
  let adapter: JiraAdapter;
  let clock: ManualClock;

  beforeAll(async () => {
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    egress = new EgressClient({ allow: ['127.0.0.0/8'] });
  });
  afterAll(async () => {
    await egress.close();
    distrust();
  });
  beforeEach(() => {
    adapter = new JiraAdapter();
    clock = new ManualClock();
  });
  afterEach(async () => jira.close());

  const begin = async (options: Partial<JiraOptions> = {}): Promise<void> => {
    jira = await startJira({ authority, ...options });
  };
  const contextOf = (more: Partial<JiraContext> = {}, maxTimeoutMs?: number): JiraContext => {
    const settings = more.settings ?? jira.settings;
    const http = new EgressAdapterHttp(egress, adapter.origins(settings), maxTimeoutMs);
    return { settings, secrets: jira.secrets, clock, http, ...more };
  };
  const create = (draft = draftOf(), context = contextOf()): Promise<CreateOutcome> =>
    attemptCreate(adapter, context, adapter.render(draft, context.settings), draft.key);
  const settingsWith = (more: Partial<JiraSettings>): JiraSettings => ({ ...jira.settings, ...more });

  describe('creating', () => {
    it.each([
      ['critical', 'Highest', '1'],
      ['high', 'High', '2'],
      ['medium', 'Medium', '3'],
      ['low', 'Low', '4'],
    ] as const)(
      'sends severity %s as priority %s by its id, with its labels and the key',
      async (severity, _name, id) => {
        await begin();
        const draft = draftOf({ severity });
        const outcome = await create(draft);
        const url = `${jira.settings.instance_url}/browse/SEC-1`;
        expect(outcome).toEqual({ kind: 'created', ref: { externalTicketId: 'SEC-1', platformId: '20001', url } });
        const [request] = jira.requestsOf('create');
        expect(request?.json).toEqual({
          fields: {
            project: { key: 'SEC' },
            issuetype: { id: '10004' },
            summary: draft.title,
            description: {
              version: 1,
              type: 'doc',
              content: [
                {
                  type: 'paragraph',
                  content: [
                    { type: 'text', text: 'Incident: ' },
                    { type: 'text', text: LINK, marks: [{ type: 'link', attrs: { href: LINK } }] },
                  ],
                },
                {
                  type: 'codeBlock',
                  attrs: { language: 'json' },
                  content: [{ type: 'text', text: JSON.stringify(draft.payload, null, 2) }],
                },
                { type: 'paragraph', content: [{ type: 'text', text: `Reference: ${draft.key}` }] },
              ],
            },
            labels: ['acme-gateway', 'ai-policy', severity, `ticket-${draft.key}`],
            priority: { id },
          },
          properties: [{ key: 'llm-governance.ticket', value: { key: draft.key } }],
        });
      },
    );

    it('asks what the project takes once a minute, however many tickets there are', async () => {
      await begin();
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => create()));
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['created']));
      expect(jira.requestsOf('createmeta')).toHaveLength(2);
      clock.advance(60_000);
      await create();
      expect(jira.requestsOf('createmeta')).toHaveLength(4);
    });

    it('asks for each account of its own: what one may see, another is not told', async () => {
      await begin();
      await create();
      const secrets = { ...jira.secrets, api_token: 'another' };
      expect(await create(draftOf(), contextOf({ secrets }))).toMatchObject({ kind: 'rejected', code: 'auth' });
      expect(jira.requestsOf('create')).toHaveLength(1);
    });

    it('reads create metadata page by page', async () => {
      const more = Array.from({ length: 5 }, (_, at) => ({ fieldId: `customfield_${at}`, name: 'x', type: 'string' }));
      await begin({ pageSize: 2, projects: [jiraProject({ more })] });
      expect(await create(draftOf(), contextOf({ settings: settingsWith({ issue_type: 'Task' }) }))).toEqual(
        expect.not.objectContaining({ degraded: expect.anything() }),
      );
      expect(jira.requestsOf('createmeta')).toHaveLength(2 + 6);
      expect(jira.issues[0]?.sent.fields['priority']).toEqual({ id: '2' });
    });

    it.each([
      ['its name', 'Task', { id: '10002' }],
      ['its name in another case', 'tAsK', { id: '10002' }],
      ['its id', '10002', { id: '10002' }],
    ])('finds the issue type by %s', async (_by, issue_type, sent) => {
      await begin();
      expect(await create(draftOf(), contextOf({ settings: settingsWith({ issue_type }) }))).toMatchObject({
        kind: 'created',
      });
      expect(jira.issues[0]?.sent.fields['issuetype']).toEqual(sent);
    });

    it('leaves out priority and labels that are not on the screen, and says so', async () => {
      await begin({ projects: [jiraProject({ without: ['priority', 'labels'] })] });
      expect(await create()).toMatchObject({
        kind: 'created',
        degraded: [expect.stringContaining('no labels'), expect.stringContaining('no priority')],
      });
      expect(Object.keys(jira.issues[0]?.sent.fields ?? {})).toEqual(
        expect.not.arrayContaining(['labels', 'priority']),
      );
    });

    it('leaves out the priority where the project’s have other names, and says which', async () => {
      await begin({ projects: [jiraProject({ priorities: ['Höchste', 'Hoch', 'Mittel', 'Niedrig'] })] });
      expect(await create()).toMatchObject({
        kind: 'created',
        degraded: ['This project has no priority “High”, but Höchste, Hoch, Mittel, Niedrig; Jira chose one.'],
      });
    });

    it('takes the project’s spelling of a priority', async () => {
      await begin({ projects: [jiraProject({ priorities: ['HIGHEST', 'high', 'Medium', 'Low'] })] });
      expect(await create()).not.toHaveProperty('degraded');
      expect(jira.issues[0]?.sent.fields['priority']).toEqual({ id: '2' });
    });

    it('creates without a description where the screen has none', async () => {
      await begin({ projects: [jiraProject({ without: ['description'] })] });
      expect(await create()).toMatchObject({ kind: 'created', degraded: [expect.stringContaining('no description')] });
    });

    it('refuses by itself what lacks a required field, so that no issue number is lost', async () => {
      await begin({ projects: [jiraProject({ more: [TEAM_FIELD] })] });
      expect(await create()).toEqual({
        kind: 'rejected',
        code: 'field',
        message: 'The project requires “Team”, which this connector does not fill.',
        fields: { customfield_10050: 'The project requires “Team”, which this connector does not fill.' },
      });
      expect([jira.requestsOf('create').length, jira.burntNumbers]).toEqual([0, 0]);
      jira.have([jiraProject({ more: [{ ...TEAM_FIELD, hasDefaultValue: true }] })]);
      expect(await create()).toMatchObject({ kind: 'created' });
    });

    it.each([
      ['project', { project_key: 'NOPE' }, /has no project NOPE/],
      ['issuetype', { issue_type: 'Incident' }, /no issue type “Incident”; it has Bug, Task\./],
      ['issuetype', { issue_type: 'Sub-task' }, /no issue type “Sub-task”/],
    ])('takes an unknown %s for a fault of the settings', async (field, settings, message) => {
      await begin();
      const outcome = await create(draftOf(), contextOf({ settings: settingsWith(settings) }));
      expect(outcome).toMatchObject({ kind: 'rejected', code: 'config', message: expect.stringMatching(message) });
      expect(outcome).toHaveProperty(['fields', field]);
      expect(jira.burntNumbers).toBe(0);
    });

    it('takes a project without the permission for a fault of the settings', async () => {
      await begin({ projects: [jiraProject({ mayCreate: false })] });
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'config' });
    });

    it('names the fields of a refusal, and asks anew what the project takes', async () => {
      await begin();
      await create();
      jira.have([jiraProject({ more: [TEAM_FIELD] })]);
      expect(await create()).toEqual({
        kind: 'rejected',
        code: 'field',
        message: 'Jira rejected the request (400): customfield_10050: Team is required.',
        fields: { customfield_10050: 'Team is required.' },
      });
      expect(await create()).toMatchObject({ message: expect.stringContaining('requires “Team”') });
      expect(jira.burntNumbers).toBe(1);
    });

    it('takes a problem of Jira’s configuration (422) for one of the settings', async () => {
      await begin();
      jira.meets('create', refuses(422, { errorMessages: ['The workflow is broken.'], errors: {} }));
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'config', message: /workflow is broken/ });
    });

    it('folds a summary and cuts it at 255 UTF-16 characters, between code points', async () => {
      await begin();
      const title = `[Acme]\r\n\u202Epolicy_violation\u0007: ${'😀'.repeat(300)}`;
      expect(await create(draftOf({ title }))).toMatchObject({ kind: 'created' });
      const summary = jira.issues[0]?.sent.fields['summary'] as string;
      expect(summary).toMatch(/^\[Acme\] policy_violation : 😀+… \[cut\]$/u);
      expect(summary.length).toBeGreaterThan(252);
    });

    it('writes labels without spaces', async () => {
      await begin();
      await create(draftOf({ labels: ['Acme  Gateway\n1', '', 'high', 'high'] }));
      expect(jira.issues[0]?.sent.fields['labels']).toEqual([
        'Acme-Gateway-1',
        'high',
        expect.stringMatching(/^ticket-/),
      ]);
    });

    it('cuts labels at 255 UTF-16 characters, between code points, wherever the limit falls', async () => {
      await begin();
      await create(draftOf({ labels: ['', 'x'].map(pad => pad + '😀'.repeat(200)) }));
      expect(jira.issues[0]?.sent.fields['labels']).toEqual([
        `${'😀'.repeat(127)}…`,
        `x${'😀'.repeat(126)}…`,
        expect.stringMatching(/^ticket-/),
      ]);
    });

    it.each([
      ['quotation marks and backslashes', '"\\'],
      ['characters of two UTF-16 units', '😀'],
      ['line breaks', '\n'],
      ['nothing of the kind', 'x'],
    ])('keeps a long payload of %s within what Jira takes, with a mark and the link', async (_what, unit) => {
      await begin();
      const payload = { odd: 'x', text: unit.repeat(50_000) };
      expect(await create(draftOf({ payload }))).toMatchObject({ kind: 'created' });
      const sent = JSON.stringify(jira.issues[0]?.sent.fields['description']);
      expect(sent.length).toBeGreaterThan(31_900);
      expect(sent).toContain('… [cut]');
      expect(sent).toContain(LINK);
    });

    it('leaves out the indentation before it cuts anything', async () => {
      await begin();
      const payload = { list: [...Array.from({ length: 15_000 }, () => 1), 2] };
      await create(draftOf({ payload }));
      expect(JSON.stringify(jira.issues[0]?.sent.fields['description'])).toContain('1,1,2]}');
    });

    it('shows in the preview what is sent, with names in place of ids', async () => {
      await begin();
      const draft = draftOf();
      const preview = adapter.render(draft, jira.settings);
      await create(draft);
      const { fields, ...others } = preview.body;
      expect(fields).toMatchObject({ issuetype: { name: 'Bug' }, priority: { name: 'High' } });
      const sent = { ...Object(fields), issuetype: { id: '10004' }, priority: { id: '2' } };
      expect(jira.requestsOf('create')[0]?.json).toEqual({ ...others, fields: sent });
      expect(preview.description).toContain('"model": "gpt-4o"');
    });
  });

  describe('in trouble', () => {
    it.each([
      ['lost answer', 1],
      ['answer cut short', 1],
      ['success without id', 1],
      ['error after success', 1],
      ['cut request', 0],
      ['unavailable page', 0],
    ] as const)('takes a create for uncertain: %s', async (fault: FaultName, issues) => {
      await begin();
      jira.meets('create', fault);
      expect(await create()).toMatchObject({ kind: 'uncertain', message: expect.stringMatching(/^[A-Z].*\.$/) });
      expect(jira.issues).toHaveLength(issues);
      expect(jira.requestsOf('create')).toHaveLength(1);
    });

    it('takes a create for uncertain that has no answer in time', async () => {
      await begin();
      await create();
      jira.meets('create', 'no answer');
      expect(await create(draftOf(), contextOf({}, 200))).toMatchObject({ kind: 'uncertain' });
      expect(jira.issues).toHaveLength(2);
    });

    it('waits for Jira where it is slow', async () => {
      await begin();
      jira.meets('create', late(300));
      expect(await create()).toMatchObject({ kind: 'created' });
    });

    it.each([
      ['no more for now', {}],
      ['no more for 7 s', { retryAfterMs: 7_000 }],
    ] as const)('tries again after 429: %s', async (fault, wait) => {
      await begin();
      jira.meets('create', fault);
      expect(await create()).toEqual({ kind: 'retryable', message: expect.any(String), ...wait });
      jira.recovers();
      jira.meets('createmeta', fault);
      clock.advance(60_000);
      expect(await create()).toEqual({ kind: 'retryable', message: expect.any(String), ...wait });
    });

    it.each(['lost answer', 'unavailable page', 'error after success', 'no more for now'] as const)(
      'tries again where it could not ask what the project takes: %s',
      async fault => {
        await begin();
        jira.meets('createmeta', fault);
        expect(await create()).toMatchObject({ kind: 'retryable' });
        expect(jira.requestsOf('create')).toHaveLength(0);
        jira.recovers();
        expect(await create()).toMatchObject({ kind: 'created' });
      },
    );

    it.each([
      ['login redirect', 'auth'],
      ['login page', 'hibernating'],
    ] as const)('does not take a page for an answer: %s', async (fault, code) => {
      await begin();
      for (const operation of ['createmeta', 'create'] as const) {
        jira.meets(operation, fault);
        expect(await create()).toMatchObject({ kind: 'rejected', code });
        jira.recovers();
      }
    });

    it.each(['refused', 'a stranger'] as const)(
      'takes a wrong token for one where Jira takes it for %s',
      async what => {
        await begin({ wrongTokenIs: what });
        const secrets = { ...jira.secrets, api_token: 'expired' };
        const context = contextOf({ secrets });
        expect(await create(draftOf(), context)).toMatchObject({ kind: 'rejected', code: 'auth' });
        expect(await adapter.verify(context)).toEqual([expect.objectContaining({ status: 'failed' })]);
        // That nothing is found must not be believed.
        await expect(adapter.findByKey(context, newId())).rejects.toThrow(/API token/);
        await expect(adapter.status(context, { externalTicketId: 'SEC-1' })).rejects.toThrow(/API token/);
      },
    );

    it('does not go on where Jira takes the token for a stranger’s only when it creates', async () => {
      await begin();
      await create();
      jira.meets('create', refuses(403, { errorMessages: ['Basic auth with password is not allowed'] }));
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'forbidden', message: /Basic auth/ });
    });

    it('tries again where nothing listens', async () => {
      await begin();
      const context = contextOf();
      await jira.platform.close();
      expect(await create(draftOf(), context)).toMatchObject({ kind: 'retryable' });
      expect(await adapter.verify(context)).toEqual([expect.objectContaining({ status: 'failed' })]);
    });
  });

  describe('with a token that has scopes', () => {
    it('calls the gateway only, and leads people to the site', async () => {
      await begin({ hasScopes: true });
      const settings = settingsWith({ instance_url: 'https://acme.atlassian.net/' });
      expect(adapter.origins(settings)).toEqual([jira.platform.origin]);
      const outcome = await create(draftOf(), contextOf({ settings }));
      expect(outcome).toMatchObject({ ref: { url: 'https://acme.atlassian.net/browse/SEC-1' } });
    });

    it('says so where the API base URL is missing', async () => {
      await begin({ hasScopes: true });
      const { api_base_url: _, ...settings } = jira.settings;
      expect(await create(draftOf(), contextOf({ settings }))).toMatchObject({
        code: 'auth',
        message: expect.stringContaining('API base URL'),
      });
    });
  });

  describe('finding again', () => {
    it('finds an issue by its key as soon as Jira’s search sees it', async () => {
      await begin({ searchDelayMs: 300 });
      const draft = draftOf();
      jira.meets('create', 'lost answer');
      expect(await create(draft)).toMatchObject({ kind: 'uncertain' });
      expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([]);
      await new Promise(done => setTimeout(done, 350));
      const found = await adapter.findByKey(contextOf(), draft.key);
      expect(found).toEqual([expect.objectContaining({ externalTicketId: 'SEC-1', platformId: '20001' })]);
    });

    it('finds issues of projects that take no labels, and none that only speak of the key', async () => {
      await begin({ projects: [jiraProject({ without: ['labels'] })] });
      const draft = draftOf();
      await create(draft);
      await create(draftOf({ payload: { text: `like ${draft.key}` } }));
      expect(await adapter.findByKey(contextOf(), draft.key)).toHaveLength(1);
    });

    it('gives the newest first', async () => {
      await begin();
      const draft = draftOf();
      await create(draft);
      await create(draft);
      const found = await adapter.findByKey(contextOf(), draft.key);
      expect(found.map(({ externalTicketId }) => externalTicketId)).toEqual(['SEC-2', 'SEC-1']);
    });

    it.each(['login page', 'login redirect', 'unavailable page', 'no more for now', 'lost answer'] as const)(
      'does not take a failed search for an empty one: %s',
      async fault => {
        await begin();
        jira.meets('search', fault);
        await expect(adapter.findByKey(contextOf(), newId())).rejects.toThrow(/^[A-Z].*\.$/);
      },
    );
  });

  describe('looking', () => {
    it('tells where an issue stands, and that it is gone', async () => {
      await begin();
      const outcome = await create();
      if (outcome.kind !== 'created') throw new Error(outcome.message);
      expect(await adapter.status(contextOf(), outcome.ref)).toMatchObject({ status: 'open' });
      const at = new Date('2026-11-20T10:15:00.123Z');
      jira.move('SEC-1', { category: 'done', resolution: 'Won’t Do', at });
      expect(await adapter.status(contextOf(), outcome.ref)).toEqual({
        status: 'closed',
        resolution: 'Won’t Do',
        occurredAt: at,
      });
      expect(await adapter.status(contextOf(), { externalTicketId: 'SEC-404' })).toBeNull();
      expect(jira.requestsOf('issue')[0]?.path).toContain('/issue/20001?');
    });

    it.each<[string, object | undefined]>([
      ['a page of a proxy', undefined],
      ['an answer of the gateway', { code: 404, message: 'Not Found' }],
      ['no reason', { errorMessages: [], errors: {} }],
    ])('believes no 404 that is %s', async (_what, json) => {
      await begin({ isHeldToApi: false });
      await create();
      jira.meets('issue', refuses(404, json));
      await expect(adapter.status(contextOf(), { externalTicketId: 'SEC-1' })).rejects.toThrow(/404/);
    });

    it('reads the webhook of an issue that it created', async () => {
      await begin();
      await create();
      jira.move('SEC-1', { category: 'indeterminate' });
      expect(adapter.mapInbound(jira.webhookOf('SEC-1'))).toMatchObject({
        externalTicketId: 'SEC-1',
        status: 'in_progress',
        updatedBy: 'Mia Krystof',
      });
    });
  });

  describe('tested', () => {
    const statusesOf = async (context = contextOf()): Promise<JsonObject> =>
      Object.fromEntries((await adapter.verify(context)).map(({ name, status }) => [name, status]));

    it('finds nothing wrong with an ordinary project', async () => {
      await begin();
      expect(new Set(Object.values(await statusesOf()))).toEqual(new Set(['passed']));
    });

    it('warns of what issues have to do without', async () => {
      await begin({ projects: [jiraProject({ priorities: ['Hoch'], without: ['labels', 'description'] })] });
      expect(await statusesOf()).toMatchObject({
        'The priorities exist': 'warning',
        'Labels are taken': 'warning',
        'The description can be set': 'warning',
      });
    });

    it.each([
      ['an unknown project', {}, { project_key: 'NOPE' }],
      ['an unknown issue type', {}, { issue_type: 'Incident' }],
      ['a missing permission', { mayCreate: false }, {}],
      ['a required field', { more: [TEAM_FIELD] }, {}],
    ])('says what is wrong: %s', async (_what, project, settings) => {
      await begin({ projects: [jiraProject(project)] });
      const checks = await adapter.verify(contextOf({ settings: settingsWith(settings) }));
      expect(checks.filter(({ status }) => status === 'failed')).toHaveLength(1);
    });

    it('looks anew each time', async () => {
      await begin();
      await create();
      jira.have([jiraProject({ more: [TEAM_FIELD] })]);
      expect(Object.values(await statusesOf())).toContain('failed');
    });
  });

  const isDescribed = jiraOpenApiFile() !== undefined;
  const reason = isDescribed ? '' : ' (skipped: JIRA_OPENAPI names no file)';
  (isDescribed ? describe : describe.skip)(`by Atlassian’s description of the API${reason}`, () => {
    it('asks nothing that is not in it', async () => {
      await begin({ hasScopes: true });
      const context = contextOf();
      const outcome = await create(draftOf(), context);
      if (outcome.kind !== 'created') throw new Error(outcome.message);
      await adapter.verify(context);
      await adapter.findByKey(context, newId());
      await adapter.status(context, outcome.ref);
      // The emulator rejects when it is closed, if one of them was not as described; so in each test here.
      expect(jira.apiChecks).toBe(jira.platform.received.length);
    });
  });

  it('does not follow create metadata without end', async () => {
    await begin();
    jira.meets('createmeta', refuses(200, { issueTypes: [{ id: '1', name: 'Epic' }], total: 1_000_000 }));
    expect(await create()).toMatchObject({ kind: 'rejected', code: 'config' });
    // In English, then in the language of the account.
    expect(jira.requestsOf('createmeta')).toHaveLength(20);
  });

  it('gives Jira ten seconds to describe a project, then tries again later', async () => {
    await begin({ pageSize: 1 });
    const { http } = contextOf();
    const asked: (number | undefined)[] = [];
    const request: typeof http.request = each => {
      asked.push(each.timeoutMs);
      clock.advance(4_000);
      return http.request(each);
    };
    expect(await create(draftOf(), contextOf({ http: { request } }))).toMatchObject({ kind: 'retryable' });
    expect(asked).toEqual([5_000, 5_000, 2_000]);
  });

  it('gives Jira 25 seconds in all to describe a project and create an issue', async () => {
    await begin();
    const asked: number[] = [];
    const { http } = contextOf();
    const request: typeof http.request = each => {
      asked.push(each.timeoutMs ?? NaN);
      return http.request(each);
    };
    await create(draftOf(), contextOf({ http: { request }, clock: new SystemClock() }));
    expect(asked.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(25_000);
    expect(asked).toHaveLength(3);
  });
});
