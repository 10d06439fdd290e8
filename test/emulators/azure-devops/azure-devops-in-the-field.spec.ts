import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { attemptUpdate, type AdapterContext, type CreateOutcome, type TicketChange, type TicketRef } from '#itsm';
import { AzureDevOpsAdapter } from '../../../libs/itsm/adapters/azure-devops/azure-devops.adapter.js';
import type { Secrets, Settings } from '../../../libs/itsm/adapters/azure-devops/boards-api.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import { toBehaviour } from '../../support/itsm/platform-endpoint.js';
import type { WorkItem } from './items.js';
import { startOrganization, type Organization } from './organization.js';
import type { ProcessName } from './process.js';

let stage: AdapterStage;
let azure: Organization;
let adapter: AzureDevOpsAdapter;
beforeAll(async () => {
  stage = await adapterStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  azure = await startOrganization({ authority: stage.authority });
  adapter = new AzureDevOpsAdapter();
});
afterEach(() => azure.close());

type Context = AdapterContext<Settings, Secrets>;

function contextOf(more: Partial<Settings> = {}, token = azure.token): Context {
  const settings = { organization_url: azure.base, project: 'AI Governance', work_item_type: 'Bug', ...more };
  return stage.contextOf(adapter, settings, { personal_access_token: token });
}

const create = (draft = fieldDraft(), context = contextOf()): Promise<CreateOutcome> =>
  createBy(adapter, context, draft);

async function created(draft = fieldDraft(), context = contextOf()): Promise<TicketRef> {
  const outcome = await create(draft, context);
  if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome));
  return outcome.ref;
}

function first(): WorkItem {
  const [item] = azure.items.all;
  if (!item) throw new Error('There is no work item.');
  return item;
}

function changeOf(kind: TicketChange['kind'], more: Partial<TicketChange> = {}): TicketChange {
  const key = newId();
  const text = `Seen 3 times.\nReference: ${key}`;
  return { kind, key, text, severity: 'critical', severityBefore: 'high', repeated: false, ...more };
}

describe('the type of work items', () => {
  it.each<[ProcessName, string, string]>([
    ['Agile', 'Bug', 'Microsoft.VSTS.TCM.ReproSteps'],
    ['CMMI', 'Bug', 'Microsoft.VSTS.TCM.ReproSteps'],
    ['Scrum', 'Bug', 'Microsoft.VSTS.TCM.ReproSteps'],
    ['Basic', 'Issue', 'System.Description'],
  ])('of the process %s, %s, has a form that shows the field of the text', async (process, type, field) => {
    azure.projects.set('AI Governance', process);
    await created(fieldDraft(), contextOf({ work_item_type: type }));
    expect(first()).toMatchObject({ type, fields: { [field]: expect.stringContaining('ada@example.com') } });
  });

  it('is the one that is set, and the test names the states of the type', async () => {
    await created(fieldDraft(), contextOf({ work_item_type: 'User Story' }));
    expect(first().type).toBe('User Story');
    const [check] = await adapter.verify(contextOf({ work_item_type: 'User Story' }));
    expect(check).toMatchObject({ status: 'passed', message: expect.stringContaining('New, Active, Resolved') });
  });

  it('is named where the project does not have it', async () => {
    const context = contextOf({ work_item_type: 'Incident' });
    expect(await adapter.verify(context)).toMatchObject([
      { status: 'failed', message: expect.stringContaining('“Incident”') },
    ]);
    expect(await create(fieldDraft(), context)).toMatchObject({
      ...{ kind: 'rejected', code: 'config', message: expect.stringContaining('VS402323') },
    });
  });
});

describe('texts', () => {
  it('are escaped, so that a payload is shown and never run', async () => {
    await created(fieldDraft({ payload: { text: '<img src=x onerror=alert(1)> & </pre>' } }));
    const html = first().fields['Microsoft.VSTS.TCM.ReproSteps'];
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &lt;/pre&gt;');
  });

  it('lead to the incident by a link', async () => {
    await created(fieldDraft({ link: 'https://governance.example.com/incidents/1' }));
    expect(first().fields['Microsoft.VSTS.TCM.ReproSteps']).toContain(
      '<a href="https://governance.example.com/incidents/1">',
    );
  });
});

describe('an account that may not do it', () => {
  it.each(['page', 'redirect'] as const)('is a wrong token, where the %s to sign in is the answer', async signIn => {
    azure.conditions.signIn = signIn;
    // A proxy in front takes the header away by which a page is refused.
    const { http, ...context } = contextOf({}, 'wrong');
    const request: typeof http.request = each => {
      const { 'x-tfs-fedauthredirect': asked, ...headers } = each.headers ?? {};
      expect(asked).toBe('Suppress');
      return http.request({ ...each, headers });
    };
    const bare: Context = { ...context, http: { request } };
    expect(await create(fieldDraft(), bare)).toMatchObject({ kind: 'rejected', code: 'auth' });
    expect(await adapter.verify(bare)).toMatchObject([{ status: 'failed' }]);
    await expect(adapter.findByKey(bare, newId())).rejects.toMatchObject({ platform: { code: 'auth' } });
  });

  it('is told of the scope, where the token only reads', async () => {
    azure.conditions.token = 'read only';
    const scope = expect.stringContaining('Work Items (Read & write)');
    expect(await create()).toMatchObject({ kind: 'rejected', code: 'auth', message: scope });
    expect((await adapter.verify(contextOf())).at(-1)).toMatchObject({ status: 'failed', message: scope });
  });

  it('is told of an expired token', async () => {
    azure.conditions.token = 'expired';
    expect(await create()).toMatchObject({ code: 'auth', message: expect.stringContaining('expired') });
  });

  it('is told of a project that is not there, in the words of the platform', async () => {
    const context = contextOf({ project: 'Nowhere' });
    const missing = expect.stringContaining('TF200016');
    expect(await create(fieldDraft(), context)).toMatchObject({ kind: 'rejected', code: 'config', message: missing });
    expect(await adapter.verify(context)).toMatchObject([{ status: 'failed', message: missing }]);
  });
});

describe('a process that requires a field', () => {
  beforeEach(() => {
    azure.conditions.required = { 'Custom.Environment': 'Environment' };
  });

  it('is told by the test, which creates nothing, and by the ticket', async () => {
    expect((await adapter.verify(contextOf())).at(-1)).toMatchObject({
      ...{ status: 'failed', message: expect.stringContaining('Environment') },
    });
    expect(azure.items.all).toEqual([]);
    expect(await create()).toMatchObject({ code: 'field', fields: { 'Custom.Environment': expect.any(String) } });
  });

  it('takes the work item, when the setting `fields` fills it', async () => {
    const context = contextOf({ fields: { 'Custom.Environment': 'production' } });
    expect((await adapter.verify(context)).map(({ status }) => status)).toEqual(['passed', 'passed', 'passed']);
    await created(fieldDraft(), context);
    expect(first().fields).toMatchObject({ 'Custom.Environment': 'production' });
  });

  it('names a field and an area that it does not have', async () => {
    azure.conditions.required = {};
    const [unknown, area] = [{ 'Custom.Nothing': 'x' }, { 'System.AreaPath': 'Elsewhere' }];
    for (const fields of [unknown, area]) {
      const outcome = await create(fieldDraft(), contextOf({ fields }));
      expect(outcome).toMatchObject({ code: 'field', fields: { [Object.keys(fields)[0] ?? '']: expect.any(String) } });
    }
  });
});

describe('a work item', () => {
  it('is found and followed in the project to which people moved it', async () => {
    const draft = fieldDraft();
    const ref = await created(draft);
    azure.projects.set('Else', 'Basic');
    azure.items.move(first(), 'Else');
    // Its type stays, and has the states of the other project.
    azure.projects.set('Else', 'Agile');
    expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([ref]);
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'open' });
    const repeated = changeOf('comment', { repeated: true });
    expect(await attemptUpdate(adapter, contextOf(), ref, repeated)).toMatchObject({ kind: 'updated' });
  });

  it('is told from others, whatever a query finds', async () => {
    const draft = fieldDraft();
    const ref = await created(draft);
    await created();
    azure.intercept(({ url }) => {
      const workItems = azure.items.all.map(({ id }) => ({ id, url: 'https://dev.azure.com' }));
      return url.pathname.endsWith('/wiql') ? toBehaviour({ status: 200, json: { workItems } }) : undefined;
    });
    expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([ref]);
  });

  it('that a query names and the account may not read is no proof that there is none', async () => {
    const draft = fieldDraft();
    await created(draft);
    azure.intercept(({ url }) => {
      if (url.pathname.endsWith('/wiql')) return undefined;
      first().isHidden = true;
      return undefined;
    });
    await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toThrow('TF401232');
  });

  it('is gone, where the platform hides or has deleted it', async () => {
    const ref = await created();
    first().isHidden = true;
    expect(await adapter.status(contextOf(), ref)).toBeNull();
    expect(await attemptUpdate(adapter, contextOf(), ref, changeOf('comment'))).toMatchObject({ kind: 'gone' });
  });

  it('is reported by service hooks as it is read', async () => {
    const ref = await created();
    for (const state of ['New', 'Active', 'Resolved', 'Closed']) {
      azure.items.revise(first(), { ...first().fields, 'System.State': state });
      const report = adapter.mapInbound(azure.items.serviceHookOf(first(), {}));
      const read = await adapter.status(contextOf(), ref);
      expect(report).toMatchObject({ ...read, externalTicketId: ref.externalTicketId });
    }
  });

  it('is closed, where its reason says that it was not solved', async () => {
    const ref = await created();
    const end = { ...first().fields, 'System.State': 'Closed', 'System.Reason': 'Duplicate' };
    azure.items.revise(first(), end);
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'closed', resolution: 'Duplicate' });
  });
});

describe('rules of the process', () => {
  it('that exclude a state are respected: the next one of the workflow is taken', async () => {
    const ref = await created();
    azure.conditions.transitions = { New: ['Active', 'Closed'] };
    const resolved = await attemptUpdate(adapter, contextOf(), ref, changeOf('resolve'));
    expect(resolved).toEqual({ kind: 'updated', status: 'resolved' });
    expect(first()).toMatchObject({ fields: { 'System.State': 'Closed' } });
    expect(first().comments).toHaveLength(1);
  });

  it('that exclude every end leave the state, and the text is added', async () => {
    const ref = await created();
    azure.conditions.transitions = { New: ['Active'] };
    expect(await attemptUpdate(adapter, contextOf(), ref, changeOf('resolve'))).toMatchObject({
      ...{ kind: 'refused', code: 'config' },
    });
    expect(first()).toMatchObject({ fields: { 'System.State': 'New' }, comments: [expect.anything()] });
  });
});

describe('two who change a work item at once', () => {
  it('get the change done later, and once', async () => {
    const ref = await created();
    azure.conditions.collisions = 1;
    const change = changeOf('comment');
    expect(await attemptUpdate(adapter, contextOf(), ref, change)).toMatchObject({ kind: 'retryable' });
    expect(await attemptUpdate(adapter, contextOf(), ref, change)).toMatchObject({ kind: 'updated' });
    expect(first().comments).toHaveLength(1);
  });

  it('do not overwrite each other: a revision that came in between is read again', async () => {
    const ref = await created(fieldDraft({ severity: 'high' }));
    let isFirst = true;
    azure.intercept(({ method }) => {
      if (method === 'PATCH' && isFirst) azure.items.revise(first(), { ...first().fields, 'System.Title': 'theirs' });
      if (method === 'PATCH') isFirst = false;
      return undefined;
    });
    const change = changeOf('priority', { text: '' });
    expect(await attemptUpdate(adapter, contextOf(), ref, change)).toMatchObject({ kind: 'retryable' });
    expect(first().fields).toMatchObject({ 'Microsoft.VSTS.Common.Priority': 2, 'System.Title': 'theirs' });
  });
});

describe('the rate limit', () => {
  it('delays requests, which the test shows', async () => {
    azure.conditions.delayedForS = 12;
    expect((await create()).kind).toBe('created');
    const warning = { status: 'warning', message: expect.stringContaining('12 seconds') };
    expect((await adapter.verify(contextOf())).at(-1)).toMatchObject(warning);
  });

  it('blocks requests for as long as the platform says', async () => {
    azure.conditions.blockedForS = 60;
    expect(await create()).toMatchObject({ kind: 'retryable', retryAfterMs: 60_000 });
    await expect(adapter.findByKey(contextOf(), newId())).rejects.toMatchObject({ platform: { retryAfterMs: 60_000 } });
  });
});
