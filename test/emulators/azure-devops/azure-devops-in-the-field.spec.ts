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
  ])('of the process %s, %s, has a form with the text field', async (process, type, field) => {
    azure.projects.set('AI Governance', process);
    await created(fieldDraft(), contextOf({ work_item_type: type }));
    expect(first()).toMatchObject({ type, fields: { [field]: expect.stringContaining('ada@example.com') } });
  });

  it('is the configured one, and the connector test lists its states', async () => {
    await created(fieldDraft(), contextOf({ work_item_type: 'User Story' }));
    expect(first().type).toBe('User Story');
    const [check] = await adapter.verify(contextOf({ work_item_type: 'User Story' }));
    expect(check).toMatchObject({ status: 'passed', message: expect.stringContaining('New, Active, Resolved') });
  });

  it('is named in the error if the project does not have it', async () => {
    const context = contextOf({ work_item_type: 'Incident' });
    expect(await adapter.verify(context)).toMatchObject([
      { status: 'failed', message: expect.stringContaining('“Incident”') },
    ]);
    expect(await create(fieldDraft(), context)).toMatchObject({
      ...{ kind: 'rejected', code: 'config', message: expect.stringContaining('VS402323') },
    });
  });
});

describe('texts of work items', () => {
  it('are escaped, so that a payload is shown and never executed', async () => {
    await created(fieldDraft({ payload: { text: '<img src=x onerror=alert(1)> & </pre>' } }));
    const html = first().fields['Microsoft.VSTS.TCM.ReproSteps'];
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &lt;/pre&gt;');
  });

  it('contain a link to the incident', async () => {
    await created(fieldDraft({ link: 'https://governance.example.com/incidents/1' }));
    expect(first().fields['Microsoft.VSTS.TCM.ReproSteps']).toContain(
      '<a href="https://governance.example.com/incidents/1">',
    );
  });
});

describe('an account without the required rights', () => {
  it.each(['page', 'redirect'] as const)(
    'is reported as a wrong token if %s to sign in is the answer',
    async signIn => {
      azure.conditions.signIn = signIn;
      // A proxy removes the header that suppresses the redirect to the sign-in page.
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
    },
  );

  it('gets an error that names the scope if the token may only read', async () => {
    azure.conditions.token = 'read only';
    const scope = expect.stringContaining('Work Items (Read & write)');
    expect(await create()).toMatchObject({ kind: 'rejected', code: 'auth', message: scope });
    expect((await adapter.verify(contextOf())).at(-1)).toMatchObject({ status: 'failed', message: scope });
  });

  it('gets an error that the token has expired', async () => {
    azure.conditions.token = 'expired';
    expect(await create()).toMatchObject({ code: 'auth', message: expect.stringContaining('expired') });
  });

  it("gets the platform's error if the project does not exist", async () => {
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

  it('is reported by the connector test, which creates nothing, and by the ticket', async () => {
    expect((await adapter.verify(contextOf())).at(-1)).toMatchObject({
      ...{ status: 'failed', message: expect.stringContaining('Environment') },
    });
    expect(azure.items.all).toEqual([]);
    expect(await create()).toMatchObject({ code: 'field', fields: { 'Custom.Environment': expect.any(String) } });
  });

  it('accepts the work item if the setting `fields` fills the field', async () => {
    const context = contextOf({ fields: { 'Custom.Environment': 'production' } });
    expect((await adapter.verify(context)).map(({ status }) => status)).toEqual(['passed', 'passed', 'passed']);
    await created(fieldDraft(), context);
    expect(first().fields).toMatchObject({ 'Custom.Environment': 'production' });
  });

  it('reports a field and an area that do not exist', async () => {
    azure.conditions.required = {};
    const [unknown, area] = [{ 'Custom.Nothing': 'x' }, { 'System.AreaPath': 'Elsewhere' }];
    for (const fields of [unknown, area]) {
      const outcome = await create(fieldDraft(), contextOf({ fields }));
      expect(outcome).toMatchObject({ code: 'field', fields: { [Object.keys(fields)[0] ?? '']: expect.any(String) } });
    }
  });
});

describe('a work item', () => {
  it('is found and updated in the project to which people moved it', async () => {
    const draft = fieldDraft();
    const ref = await created(draft);
    azure.projects.set('Else', 'Basic');
    azure.items.move(first(), 'Else');
    // The moved item keeps its type. In the other project, this type has other states.
    azure.projects.set('Else', 'Agile');
    expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([ref]);
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'open' });
    const repeated = changeOf('comment', { repeated: true });
    expect(await attemptUpdate(adapter, contextOf(), ref, repeated)).toMatchObject({ kind: 'updated' });
  });

  it('is matched by its key, not only by the query', async () => {
    const draft = fieldDraft();
    const ref = await created(draft);
    await created();
    azure.intercept(({ url }) => {
      const workItems = azure.items.all.map(({ id }) => ({ id, url: 'https://dev.azure.com' }));
      return url.pathname.endsWith('/wiql') ? toBehaviour({ status: 200, json: { workItems } }) : undefined;
    });
    expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([ref]);
  });

  it('that the query returns and the account may not read leaves it unknown whether the ticket exists', async () => {
    const draft = fieldDraft();
    await created(draft);
    azure.intercept(({ url }) => {
      if (url.pathname.endsWith('/wiql')) return undefined;
      first().isHidden = true;
      return undefined;
    });
    await expect(adapter.findByKey(contextOf(), draft.key)).rejects.toThrow('TF401232');
  });

  it('counts as deleted if the platform hides or has deleted it', async () => {
    const ref = await created();
    first().isHidden = true;
    expect(await adapter.status(contextOf(), ref)).toBeNull();
    expect(await attemptUpdate(adapter, contextOf(), ref, changeOf('comment'))).toMatchObject({ kind: 'gone' });
  });

  it('has the same state in a service hook and in a read', async () => {
    const ref = await created();
    for (const state of ['New', 'Active', 'Resolved', 'Closed']) {
      azure.items.revise(first(), { ...first().fields, 'System.State': state });
      const report = adapter.mapInbound(azure.items.serviceHookOf(first(), {}));
      const read = await adapter.status(contextOf(), ref);
      expect(report).toMatchObject({ ...read, externalTicketId: ref.externalTicketId });
    }
  });

  it('is closed without a solution if its reason says so', async () => {
    const ref = await created();
    const end = { ...first().fields, 'System.State': 'Closed', 'System.Reason': 'Duplicate' };
    azure.items.revise(first(), end);
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'closed', resolution: 'Duplicate' });
  });
});

describe('rules of the process', () => {
  it('that exclude a state make the adapter take the next state of the workflow', async () => {
    const ref = await created();
    azure.conditions.transitions = { New: ['Active', 'Closed'] };
    const resolved = await attemptUpdate(adapter, contextOf(), ref, changeOf('resolve'));
    expect(resolved).toMatchObject({ kind: 'updated', status: 'resolved' });
    expect(first()).toMatchObject({ fields: { 'System.State': 'Closed' } });
    expect(first().comments).toHaveLength(1);
  });

  it('that exclude every final state leave the state unchanged, and the text is added', async () => {
    const ref = await created();
    azure.conditions.transitions = { New: ['Active'] };
    expect(await attemptUpdate(adapter, contextOf(), ref, changeOf('resolve'))).toMatchObject({
      ...{ kind: 'refused', code: 'config' },
    });
    expect(first()).toMatchObject({ fields: { 'System.State': 'New' }, comments: [expect.anything()] });
  });
});

describe('concurrent changes of a work item', () => {
  it('are each applied once', async () => {
    const ref = await created();
    azure.conditions.collisions = 1;
    const change = changeOf('comment');
    expect(await attemptUpdate(adapter, contextOf(), ref, change)).toMatchObject({ kind: 'retryable' });
    expect(await attemptUpdate(adapter, contextOf(), ref, change)).toMatchObject({ kind: 'updated' });
    expect(first().comments).toHaveLength(1);
  });

  it('do not overwrite each other: the adapter reads a newer revision first', async () => {
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
  it('delays requests, and the connector test says so', async () => {
    azure.conditions.delayedForS = 12;
    expect((await create()).kind).toBe('created');
    const warning = { status: 'warning', message: expect.stringContaining('12 seconds') };
    expect((await adapter.verify(contextOf())).at(-1)).toMatchObject(warning);
  });

  it('stops requests for as long as the platform says', async () => {
    azure.conditions.blockedForS = 60;
    expect(await create()).toMatchObject({ kind: 'retryable', retryAfterMs: 60_000 });
    await expect(adapter.findByKey(contextOf(), newId())).rejects.toMatchObject({ platform: { retryAfterMs: 60_000 } });
  });
});
