import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AdapterContext, Check, CreateOutcome } from '#itsm';
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

/** A ticket that was created without doing without anything. */
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

  it.each(['Task', 'Aufgabe', '10002'])('creates issues of the type that is set as %s', async issue_type => {
    await created(fieldDraft({ severity: 'critical' }), contextOf({ issue_type }));
    expect(site.issues.all).toMatchObject([{ type: { name: 'Task' }, priority: { name: 'Highest' } }]);
  });

  it('passes every check of the connector', async () => {
    expect((await adapter.verify(contextOf())).map(({ status }) => status)).not.toContain('failed');
    expect((await adapter.verify(contextOf())).map(({ status }) => status)).not.toContain('warning');
  });

  it('closes the ticket of an issue that ends as “Wird nicht erledigt”', async () => {
    const ref = await created();
    Object.assign(site.issues.all[0] ?? {}, { status: { name: 'Done', category: 'done' }, resolution: "Won't Do" });
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'closed', resolution: "Won't Do" });
  });
});

describe('names that several types or priorities have', () => {
  it('are sent as ids, so that the project’s own are meant', async () => {
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
  it('are sent by their ids, whether they are set by name or by id, and checked', async () => {
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

  it('names it, when the connector does not fill it', async () => {
    const outcome = await create();
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'field' });
    expect(outcome).toHaveProperty('fields', { customfield_10050: expect.stringContaining('Team') });
  });

  it('takes the issue, when the setting `fields` fills it', async () => {
    const fields = { customfield_10050: { value: 'Security' } };
    await created(fieldDraft(), contextOf({ fields }));
    expect(site.issues.all[0]?.fields).toMatchObject(fields);
    expect(failed(await adapter.verify(contextOf({ fields })))).toEqual([]);
  });

  it('gets no value of a field that it does not have, and the ticket and the test say so', async () => {
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

  it('is named as a likely cause by the test, when the connector has the site’s URL', async () => {
    expect(failed(await adapter.verify(contextOf()))).toEqual([expect.stringContaining('API base URL')]);
  });

  it('without the scope to write is a lack of rights, and no wrong password', async () => {
    const context = contextOf({ api_base_url: site.gateway });
    site.conditions.scopes = new Set(['read:jira-work']);
    const outcome = await create(fieldDraft(), context);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      code: 'forbidden',
      message: expect.stringContaining('write:jira-work'),
    });
  });

  it('without the scope to read is named by the test', async () => {
    site.conditions.scopes = new Set(['write:jira-work']);
    const checks = await adapter.verify(contextOf({ api_base_url: site.gateway }));
    expect(failed(checks)).toEqual([expect.stringContaining('read:jira-work')]);
  });
});

describe('a search with several pages', () => {
  it('is read to its end', async () => {
    const draft = fieldDraft();
    for (let n = 0; n < 3; n += 1) await created(draft);
    site.conditions.searchPage = 1;
    const found = await adapter.findByKey(contextOf(), draft.key);
    expect(found.map(({ externalTicketId }) => externalTicketId)).toEqual(['SEC-3', 'SEC-2', 'SEC-1']);
  });

  it('throws, when the pages do not end', async () => {
    const draft = fieldDraft();
    for (let n = 0; n < 25; n += 1) await created(draft);
    site.conditions.searchPage = 1;
    await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toThrow(/pages/);
  });
});

describe('an issue that was moved to another project', () => {
  it('says where it stands, and its new key', async () => {
    const ref = await created();
    site.issues.moveTo('OPS', ref.externalTicketId);
    expect(await adapter.status(contextOf(), ref)).toMatchObject({
      status: 'open',
      movedTo: { externalTicketId: 'OPS-2' },
    });
  });

  it('is reported with the id that it keeps', async () => {
    const ref = await created();
    const issue = site.issues.moveTo('OPS', ref.externalTicketId);
    const update = adapter.mapInbound(JSON.parse(site.webhookOf(issue).body));
    expect(update).toMatchObject({ externalTicketId: issue.key, platformId: ref.platformId });
  });
});

describe('a site that asks for quiet', () => {
  it.each(['create', 'findByKey'] as const)('is left alone by %s for as long as it asks', async call => {
    const draft = fieldDraft();
    const context = contextOf();
    site.conditions.throttledForS = 7;
    if (call === 'create')
      expect(await create(draft, context)).toMatchObject({ kind: 'retryable', retryAfterMs: 7_000 });
    else
      await expect(adapter.findByKey(context, draft.key)).rejects.toMatchObject({ platform: { retryAfterMs: 7_000 } });
  });
});

describe('a site whose resources are exhausted', () => {
  it('is asked again after the time that it names', async () => {
    const draft = fieldDraft();
    site.conditions.exhaustedForS = 11;
    // Nothing was created: what the project takes is asked first.
    expect(await create(draft)).toMatchObject({ kind: 'retryable', retryAfterMs: 11_000 });
    await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toMatchObject({
      platform: { retryAfterMs: 11_000 },
    });
  });
});

describe('a site under maintenance', () => {
  it.each(['a page with 200', 'a page with 503'] as const)(
    'is never taken for one without the ticket: %s',
    async page => {
      const draft = fieldDraft();
      await created(draft);
      site.conditions.maintenance = page;
      await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toThrow(/page|did not say/);
      expect((await create()).kind).not.toBe('created');
    },
  );
});
