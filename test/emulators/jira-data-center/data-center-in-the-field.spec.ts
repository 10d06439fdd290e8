import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import {
  asText,
  attemptUpdate,
  formFaults,
  type AdapterContext,
  type Check,
  type CreateOutcome,
  type TicketRef,
} from '#itsm';
import { JiraDataCenterAdapter } from '../../../libs/itsm/adapters/jira-data-center/jira-data-center.adapter.js';
import type { DataCenterSecrets } from '../../../libs/itsm/adapters/jira-data-center/data-center-settings.js';
import type { JiraProjectSettings } from '../../../libs/itsm/adapters/jira/jira-site.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import { toBehaviour } from '../../support/itsm/platform-endpoint.js';
import type { Issue } from '../jira/issues.js';
import { startDataCenter, type DataCenter } from './instance.js';

let stage: AdapterStage;
let jira: DataCenter;
let adapter: JiraDataCenterAdapter;
beforeAll(async () => {
  stage = await adapterStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  jira = await startDataCenter({ authority: stage.authority });
  adapter = new JiraDataCenterAdapter();
});
afterEach(() => jira.close());

type Context = AdapterContext<JiraProjectSettings, DataCenterSecrets>;

function contextOf(more: Partial<JiraProjectSettings> = {}, secrets?: DataCenterSecrets): Context {
  const settings = { instance_url: jira.base, project_key: 'SEC', issue_type: 'Task', ...more };
  return stage.contextOf(adapter, settings, secrets ?? { personal_access_token: jira.account.token });
}

const create = (draft = fieldDraft(), context = contextOf()): Promise<CreateOutcome> =>
  createBy(adapter, context, draft);

async function created(draft = fieldDraft(), context = contextOf()): Promise<TicketRef> {
  const outcome = await create(draft, context);
  if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome));
  expect(outcome.degraded).toBeUndefined();
  return outcome.ref;
}

function first(): Issue {
  const [issue] = jira.issues.all;
  if (!issue) throw new Error('There is no issue.');
  return issue;
}

const failed = (checks: readonly Check[]): string[] =>
  checks.flatMap(({ status, message }) => (status === 'failed' ? message : []));

describe('an instance under a context path', () => {
  it('is called and linked under this path, and passes the connector test', async () => {
    expect(await created()).toEqual({
      ...{ externalTicketId: 'SEC-1', platformId: '20001', url: `${jira.base}/browse/SEC-1` },
    });
    const checks = await adapter.verify(contextOf({ instance_url: `${jira.base}/` }));
    expect(checks.map(({ status }) => status)).toEqual(checks.map(() => 'passed'));
  });

  it('is not found at the host without the path, and the connector test says so', async () => {
    expect(failed(await adapter.verify(contextOf({ instance_url: jira.origin })))).toHaveLength(1);
  });
});

it.each<[DataCenterSecrets, string[]]>([
  [{}, ['secrets.personal_access_token is required']],
  [{ username: 'ada' }, ['secrets.password is required']],
  [{ password: 'x' }, ['secrets.username is required']],
  [{ username: 'ada', password: 'x' }, []],
  [{ personal_access_token: 'x' }, []],
])('a connector with %j gets an error that names the missing setting', (secrets, faults) => {
  const found = formFaults(adapter.secretsSchema, { ...secrets }, 'secrets');
  expect(found.map(({ field, message }) => `${field} ${message}`)).toEqual(faults);
});

describe('texts', () => {
  it('are wiki markup in which a payload cannot end a block and a name mentions nobody', async () => {
    const payload = { user: '{noformat}[~admin] !https://evil.example/x.png!', path: String.raw`C:\x` };
    await created(fieldDraft({ payload, text: 'Seen of [~admin] {color:red}' }));
    const markup = asText(first().fields['description']) ?? '';
    const [head = '', code = ''] = markup.split('{noformat}\n');
    expect(markup.match(/\{noformat\}/g)).toHaveLength(2);
    expect(head).toContain(String.raw`Seen of \[\~admin\] \{color:red\}`);
    expect(JSON.parse(code.split('\n{noformat}')[0] ?? '')).toEqual(payload);
  });

  it('fit into the limit of a field, even if a payload needs escapes', async () => {
    const payload = { text: '{noformat}'.repeat(10_000) };
    await created(fieldDraft({ payload }));
    expect(asText(first().fields['description'])?.length).toBeLessThanOrEqual(32_000);
  });

  it('of comments are not formatted, and links still work', async () => {
    const ref = await created();
    const key = newId();
    const text = `Resolution: *told* {ada}\nIncident: https://g.example/i*1\nReference: ${key}`;
    const change = { key, text, severity: 'high', severityBefore: 'high', repeated: false } as const;
    const outcome = await attemptUpdate(adapter, contextOf(), ref, { kind: 'comment', ...change });
    expect(outcome).toMatchObject({ kind: 'updated', status: 'open' });
    expect(jira.comments.get('20001')).toMatchObject([
      { body: `Resolution: \\*told\\* \\{ada\\}\nIncident: https://g.example/i*1\nReference: ${key}` },
    ]);
  });
});

describe('an account without the required rights', () => {
  it.each<[string, () => DataCenterSecrets]>([
    ['a wrong token', () => ({ personal_access_token: 'wrong' })],
    ['a wrong password', () => ({ username: 'svc-governance', password: 'wrong' })],
    ['a token sent as a password', () => ({ username: 'svc-governance', password: jira.account.token })],
  ])('has %s, whatever page the instance answers', async (_name, secretsOf) => {
    const context = contextOf({}, secretsOf());
    expect(await create(fieldDraft(), context)).toMatchObject({ kind: 'rejected', code: 'auth' });
    expect(failed(await adapter.verify(context))).toEqual([expect.stringContaining('personal access token')]);
  });

  it('must solve a CAPTCHA, which is not reported as missing rights', async () => {
    jira.conditions.needsCaptcha = true;
    const context = contextOf({}, { username: jira.account.name, password: jira.account.password });
    const captcha = expect.stringContaining('CAPTCHA');
    expect(await create(fieldDraft(), context)).toMatchObject({ kind: 'rejected', code: 'auth', message: captcha });
    expect((await create()).kind).toBe('created');
  });

  it('counts as anonymous if a proxy removes its credentials, and no ticket is reported as missing', async () => {
    const draft = fieldDraft();
    await created(draft);
    const { http, ...context } = contextOf();
    const request: typeof http.request = each => {
      const { authorization, ...headers } = each.headers ?? {};
      expect(authorization).toMatch(/^Bearer /);
      return http.request({ ...each, headers });
    };
    const search = adapter.findByKey({ ...context, http: { request } }, draft.key);
    await expect(search).rejects.toMatchObject({ platform: { code: 'auth' } });
    // An anonymous search is allowed, but finds no hidden issues.
    const json = { startAt: 0, maxResults: 50, total: 0, issues: [] };
    jira.intercept(() => toBehaviour({ status: 200, json, headers: { 'x-ausername': 'anonymous' } }));
    const found = adapter.findByKey(contextOf(), draft.key);
    await expect(found).rejects.toMatchObject({ platform: { code: 'auth' } });
  });

  it('is not a member of the project, and the test and the ticket say so', async () => {
    jira.conditions.isMember = false;
    const hidden = expect.stringContaining('Jira has no project SEC, or the account may not');
    expect(failed(await adapter.verify(contextOf()))).toEqual([hidden]);
    expect(await create()).toMatchObject({ kind: 'rejected', code: 'config', message: hidden });
  });
});

describe('an issue', () => {
  it('is found on any page of the search, newest first', async () => {
    const draft = fieldDraft();
    for (let n = 0; n < 3; n += 1) await created(draft);
    jira.conditions.searchPage = 1;
    const found = await adapter.findByKey(contextOf(), draft.key);
    expect(found.map(({ externalTicketId }) => externalTicketId)).toEqual(['SEC-3', 'SEC-2', 'SEC-1']);
  });

  it('is found by its description if a person removed the labels', async () => {
    const draft = fieldDraft();
    const ref = await created(draft);
    first().fields['labels'] = [];
    expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([ref]);
    const quoting = `Compare ticket ${draft.key}, please.`;
    first().fields['description'] = quoting;
    expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([]);
  });

  it('is updated in the project to which people moved it', async () => {
    const ref = await created();
    const { key } = jira.issues.moveTo('OPS', 'SEC-1');
    const movedTo = { externalTicketId: key, platformId: '20001', url: `${jira.base}/browse/${key}` };
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'open', movedTo });
  });

  it('counts as deleted if the instance hides it', async () => {
    const ref = await created();
    jira.conditions.isMember = false;
    expect(await adapter.status(contextOf(), ref)).toBeNull();
  });

  it('is reported by webhooks, which are signed if the webhook has a secret', async () => {
    await created();
    const { body, headers } = jira.webhookOf(first(), 'w-1', 'a-secret-of-webhooks');
    const report = { headers, bytes: Buffer.from(body) };
    expect(adapter.isSigned(report, 'a-secret-of-webhooks')).toBe(true);
    expect(adapter.isSigned({ ...report, headers: jira.webhookOf(first()).headers }, 'a-secret-of-webhooks')).toBe(
      false,
    );
    expect(adapter.mapInbound(JSON.parse(body), report)).toMatchObject({
      ...{ externalTicketId: 'SEC-1', platformId: '20001', status: 'open', eventId: 'jira-delivery:w-1:' },
    });
  });
});

it('an instance with a rate limit gets no request for as long as it says', async () => {
  jira.conditions.throttledForS = 30;
  expect(await create()).toMatchObject({ kind: 'retryable', retryAfterMs: 30_000 });
  await expect(adapter.findByKey(contextOf(), newId())).rejects.toMatchObject({ platform: { retryAfterMs: 30_000 } });
});

it.each(['a page with 502', 'a page with 503'] as const)(
  'a proxy that answers %s gets the request again',
  async page => {
    jira.conditions.maintenance = page;
    expect(await create()).toMatchObject({ kind: 'retryable' });
  },
);
