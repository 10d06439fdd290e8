import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { attemptUpdate, type AdapterContext, type Check, type CreateOutcome, type TicketChange } from '#itsm';
import { JiraAdapter } from '../../../libs/itsm/adapters/jira/jira.adapter.js';
import type { JiraSecrets, JiraSettings } from '../../../libs/itsm/adapters/jira/jira-settings.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import { fieldProject } from './project.js';
import { startSite, type Site } from './site.js';

let stage: AdapterStage;
let site: Site;
let adapter: JiraAdapter;
beforeAll(async () => {
  stage = await adapterStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  site = await startSite({ authority: stage.authority });
  adapter = new JiraAdapter();
});
afterEach(() => site.close());

function contextOf(more: Partial<JiraSettings> = {}): AdapterContext<JiraSettings, JiraSecrets> {
  const settings = { instance_url: site.origin, project_key: 'SEC', issue_type: 'Task', ...more };
  return stage.contextOf(adapter, settings, site.account);
}

const create = (draft = fieldDraft(), context = contextOf()): Promise<CreateOutcome> =>
  createBy(adapter, context, draft);

/** Creates a ticket and expects that no field was left out. */
async function created(draft = fieldDraft(), context = contextOf()) {
  const outcome = await create(draft, context);
  if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome));
  expect(outcome.degraded).toBeUndefined();
  return outcome.ref;
}

const failed = (checks: readonly Check[]): string[] =>
  checks.flatMap(({ status, message }) => (status === 'failed' ? message : []));

describe('an account in another language', () => {
  beforeEach(() => {
    site.conditions.language = 'de';
  });

  it.each(['Task', 'Aufgabe', '10002'])('creates issues of the type that is configured as %s', async issue_type => {
    await created(fieldDraft({ severity: 'critical' }), contextOf({ issue_type }));
    expect(site.issues.all).toMatchObject([{ type: { name: 'Task' }, priority: { name: 'Highest' } }]);
  });

  it('passes every check of the connector test', async () => {
    expect((await adapter.verify(contextOf())).map(({ status }) => status)).not.toContain('failed');
    expect((await adapter.verify(contextOf())).map(({ status }) => status)).not.toContain('warning');
  });

  it('closes the ticket of an issue whose final status is “Wird nicht erledigt”', async () => {
    const ref = await created();
    Object.assign(site.issues.all[0] ?? {}, { status: { name: 'Done', category: 'done' }, resolution: "Won't Do" });
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'closed', resolution: "Won't Do" });
  });
});

describe('an account that may not change issues', () => {
  it.each([
    [['ADD_COMMENTS'], /lacks ADD_COMMENTS in project SEC: .*no comments/],
    [['TRANSITION_ISSUES'], /lacks TRANSITION_ISSUES .*neither resolved nor reopened/],
    [['EDIT_ISSUES', 'ADD_COMMENTS'], /lacks ADD_COMMENTS and EDIT_ISSUES .*priority is not raised/],
  ])('gets a warning for %j, which names what will not work', async (lacks, warning) => {
    site.conditions.lacks = new Set(lacks);
    const checks = await adapter.verify(contextOf());
    expect(failed(checks)).toEqual([]);
    expect(checks.filter(({ status }) => status === 'warning')).toMatchObject([
      { name: 'The account may change issues in the project', message: expect.stringMatching(warning) },
    ]);
  });

  it('gets a failed check if it may not create issues either', async () => {
    site.conditions.lacks = new Set(['CREATE_ISSUES', 'ADD_COMMENTS']);
    expect(failed(await adapter.verify(contextOf()))).toEqual([
      expect.stringContaining('lacks CREATE_ISSUES in project SEC'),
    ]);
  });
});

describe('names that several types or priorities share', () => {
  it('are sent as ids, so that the project’s own are used', async () => {
    const team = fieldProject({
      ...{ id: '10001', key: 'TEAM', types: [{ id: '10010', name: 'Task' }] },
      priorities: [{ id: '101', name: 'Highest' }],
    });
    site.projects.push(team);
    await created(fieldDraft(), contextOf({ project_key: 'TEAM' }));
    expect(site.issues.all).toMatchObject([{ key: 'TEAM-1', type: { id: '10010' } }]);
    expect(site.issues.all[0]?.fields['priority']).toEqual({ id: '101' });
  });
});

describe('priorities of a connector', () => {
  it('are sent by id, whether they are configured by name or by id, and are checked', async () => {
    const priorities = ['P1', 'P2', 'P3', 'P4'].map((name, at) => ({ id: String(101 + at), name }));
    site.projects.splice(0, 1, fieldProject({ priorities }));
    const settings = { priorities: { critical: 'p1', high: '102', medium: 'P3', low: 'P9' } };
    for (const severity of ['critical', 'high', 'medium'] as const) {
      await created(fieldDraft({ severity }), contextOf(settings));
    }
    expect(site.issues.all.map(({ priority }) => priority?.name)).toEqual(['P1', 'P2', 'P3']);
    const warnings = (await adapter.verify(contextOf(settings))).filter(({ status }) => status === 'warning');
    expect(warnings).toMatchObject([{ message: expect.stringContaining('no priority P9') }]);
  });
});

describe('a project that requires a field', () => {
  beforeEach(() => {
    site.projects.splice(0, 1, fieldProject({ more: { customfield_10050: { name: 'Team', required: true } } }));
  });

  it('names it if the connector does not fill it', async () => {
    const outcome = await create();
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'field' });
    expect(outcome).toHaveProperty('fields', { customfield_10050: expect.stringContaining('Team') });
  });

  it('accepts the issue if the setting `fields` fills it', async () => {
    const fields = { customfield_10050: { value: 'Security' } };
    await created(fieldDraft(), contextOf({ fields }));
    expect(site.issues.all[0]?.fields).toMatchObject(fields);
    expect(failed(await adapter.verify(contextOf({ fields })))).toEqual([]);
  });

  it('gets no value for a field that it does not have, and the ticket and the test say so', async () => {
    const context = contextOf({ fields: { customfield_10050: 'x', customfield_7: 'y' } });
    expect(await create(fieldDraft(), context)).toMatchObject({
      kind: 'created',
      degraded: [expect.stringContaining('customfield_7')],
    });
    const warnings = (await adapter.verify(context)).filter(({ status }) => status === 'warning');
    expect(warnings).toMatchObject([{ name: 'The field customfield_7 can be set' }]);
  });
});

describe('a token with scopes', () => {
  beforeEach(() => {
    site.conditions.token = 'with scopes';
  });

  it('is named as a likely cause by the connector test if the connector has the site’s URL', async () => {
    expect(failed(await adapter.verify(contextOf()))).toEqual([expect.stringContaining('API base URL')]);
  });

  it('without the write scope is reported as missing rights, not as a wrong password', async () => {
    const context = contextOf({ api_base_url: site.gateway });
    site.conditions.scopes = new Set(['read:jira-work']);
    const outcome = await create(fieldDraft(), context);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      code: 'forbidden',
      message: expect.stringContaining('write:jira-work'),
    });
  });

  it('without the read scope is reported by the connector test', async () => {
    site.conditions.scopes = new Set(['write:jira-work']);
    const checks = await adapter.verify(contextOf({ api_base_url: site.gateway }));
    expect(failed(checks)).toEqual([expect.stringContaining('read:jira-work')]);
  });
});

describe('a search with several pages', () => {
  it('is read to the last page', async () => {
    const draft = fieldDraft();
    for (let n = 0; n < 3; n += 1) await created(draft);
    site.conditions.searchPage = 1;
    const found = await adapter.findByKey(contextOf(), draft.key);
    expect(found.map(({ externalTicketId }) => externalTicketId)).toEqual(['SEC-3', 'SEC-2', 'SEC-1']);
  });

  it('throws if the pages do not end', async () => {
    const draft = fieldDraft();
    for (let n = 0; n < 25; n += 1) await created(draft);
    site.conditions.searchPage = 1;
    await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toThrow(/pages/);
  });
});

describe('an issue that was moved to another project', () => {
  it('has its new key and the new project in the ticket', async () => {
    const ref = await created();
    site.issues.moveTo('OPS', ref.externalTicketId);
    expect(await adapter.status(contextOf(), ref)).toMatchObject({
      status: 'open',
      movedTo: { externalTicketId: 'OPS-2' },
    });
  });

  it('is reported under the same id', async () => {
    const ref = await created();
    const issue = site.issues.moveTo('OPS', ref.externalTicketId);
    const update = adapter.mapInbound(JSON.parse(site.webhookOf(issue).body));
    expect(update).toMatchObject({ externalTicketId: issue.key, platformId: ref.platformId });
  });
});

describe('a site with a rate limit', () => {
  it.each(['create', 'findByKey'] as const)('gets no request from %s for as long as it says', async call => {
    const draft = fieldDraft();
    const context = contextOf();
    site.conditions.throttledForS = 7;
    if (call === 'create')
      expect(await create(draft, context)).toMatchObject({ kind: 'retryable', retryAfterMs: 7_000 });
    else
      await expect(adapter.findByKey(context, draft.key)).rejects.toMatchObject({ platform: { retryAfterMs: 7_000 } });
  });
});

describe('a site that has reached a resource limit', () => {
  it('gets the request again after the time that it names', async () => {
    const draft = fieldDraft();
    site.conditions.exhaustedForS = 11;
    // The platform refuses the first request, which reads the project's fields. So nothing is created.
    expect(await create(draft)).toMatchObject({ kind: 'retryable', retryAfterMs: 11_000 });
    await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toMatchObject({
      platform: { retryAfterMs: 11_000 },
    });
  });
});

describe('a site under maintenance', () => {
  it.each(['a page with 200', 'a page with 503'] as const)(
    'is not reported as a site without the ticket: %s',
    async page => {
      const draft = fieldDraft();
      await created(draft);
      site.conditions.maintenance = page;
      await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toThrow(/page|did not say/);
      expect((await create()).kind).not.toBe('created');
    },
  );
});

describe('a workflow that does not let the account change the status', () => {
  async function change(kind: TicketChange['kind']) {
    const ref = await created();
    const [key, severities] = [newId(), { severity: 'high', severityBefore: 'high' } as const];
    if (kind === 'reopen') Object.assign(site.issues.all[0] ?? {}, { status: { name: 'Done', category: 'done' } });
    const text = `Seen again.\n${key}`;
    return attemptUpdate(adapter, contextOf(), ref, { kind, key, text, repeated: false, ...severities });
  }

  it.each([
    ['resolve', ['41', '11', '21'], 'no transition to a status of the category Done'],
    ['reopen', ['31', '41'], 'no transition to a status of an open category'],
  ] as const)('is named at a %s, and the issue gets the comment', async (kind, transitions, message) => {
    site.conditions.transitions = transitions;
    expect(await change(kind)).toMatchObject({
      ...{ kind: 'refused', code: 'config' },
      message: expect.stringContaining(message),
    });
    expect(site.issues.all).toMatchObject([{ status: { category: kind === 'reopen' ? 'done' : 'new' } }]);
    expect(site.issues.all[0]?.comments).toHaveLength(1);
  });

  it('is named with the fields that only people can fill', async () => {
    site.conditions.requires = 'Root cause';
    expect(await change('resolve')).toMatchObject({
      ...{ kind: 'refused', code: 'config' },
      message: 'The transition requires fields that this connector does not fill: Root cause.',
    });
    expect(site.issues.all).toMatchObject([{ status: { category: 'new' } }]);
  });
});
