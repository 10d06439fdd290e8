import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type JsonObject } from '#core';
import { attemptUpdate, type AdapterContext, type CreateOutcome, type TicketChange, type TicketRef } from '#itsm';
import { GitLabAdapter } from '../../../libs/itsm/adapters/gitlab/gitlab.adapter.js';
import type { Secrets, Settings } from '../../../libs/itsm/adapters/gitlab/gitlab-api.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import { startGitLab, type GitLab } from './instance.js';

let stage: AdapterStage;
let gitlab: GitLab;
const adapter = new GitLabAdapter();
beforeAll(async () => {
  stage = await adapterStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  gitlab = await startGitLab({ authority: stage.authority });
});
afterEach(() => gitlab.close());

function contextOf(more: Partial<Settings> = {}): AdapterContext<Settings, Secrets> {
  const settings = { instance_url: gitlab.origin, project: gitlab.project.path_with_namespace, ...more };
  return stage.contextOf(adapter, settings, { access_token: gitlab.token });
}

const create = (draft = fieldDraft(), context = contextOf()): Promise<CreateOutcome> =>
  createBy(adapter, context, draft);

async function created(draft = fieldDraft(), context = contextOf()): Promise<TicketRef> {
  const outcome = await create(draft, context);
  if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome));
  return outcome.ref;
}

const change = (
  ref: TicketRef,
  kind: TicketChange['kind'],
  more: Partial<TicketChange> = {},
  context = contextOf(),
) => {
  const key = newId();
  const all = {
    kind,
    key,
    text: `Seen twice.\nReference: ${key}`,
    severity: 'critical',
    severityBefore: 'high',
  } as const;
  return attemptUpdate(adapter, context, ref, { ...all, repeated: false, ...more });
};

const checks = async (context = contextOf()): Promise<string[]> =>
  (await adapter.verify(context)).map(({ name, status, message }) => `${status}: ${name}: ${message}`);

describe('an instance under a URL path', () => {
  it('creates and finds issues, and links to their pages', async () => {
    const other = await startGitLab({ authority: stage.authority, root: '/gitlab' });
    const context = contextOf({ instance_url: `${other.origin}/gitlab/`, project: '15' });
    const draft = fieldDraft();
    const ref = await created(draft, context);
    expect(ref).toEqual({
      ...{ externalTicketId: 'acme/security/ai-incidents#1', platformId: '84001' },
      url: `${other.origin}/gitlab/acme/security/ai-incidents/-/issues/1`,
    });
    expect(await adapter.findByKey(context, draft.key)).toEqual([ref]);
    await other.close();
  });
});

describe('texts from outside', () => {
  const text = 'Look:\n/close\n  /label ~x\n@all #1 !2 <b>*x*</b> https://g.example/a_b_c';

  it('run no quick action and mention nobody in a new issue', async () => {
    await created(fieldDraft({ text, title: '/close\n@all' }));
    expect(gitlab.issues.all).toMatchObject([{ state: 'opened' }]);
    const description = gitlab.issues.all[0]?.description ?? '';
    expect(description).toContain(String.raw`\/close`);
    expect(description).toContain(String.raw`  \/label \~x`);
    expect(description).toContain(String.raw`\@all \#1 \!2 \<b\>\*x\*\</b\> https://g.example/a_b_c`);
  });

  it('run no quick action and mention nobody in a comment', async () => {
    const ref = await created();
    expect(await change(ref, 'comment', { text })).toMatchObject({ kind: 'updated', status: 'open' });
    expect(gitlab.issues.all).toMatchObject([
      { state: 'opened', notes: [{ body: expect.stringContaining('\\/close') }] },
    ]);
  });

  it('cannot leave the code block of the payload', async () => {
    await created(fieldDraft({ payload: { name: '\n```\n/close\n' } }));
    expect(gitlab.issues.all).toMatchObject([{ state: 'opened' }]);
  });
});

describe('the key in the description', () => {
  it('is one word, which the search index neither splits nor drops', async () => {
    await created();
    const [word = ''] = /key\S+/.exec(gitlab.issues.all[0]?.description ?? '') ?? [];
    expect(word).toMatch(/^[a-z0-9]{20,49}$/);
  });

  it('is in a description short enough for the index, whatever the payload', async () => {
    const draft = fieldDraft({ payload: { text: 'x '.repeat(600_000) }, text: '_'.repeat(50_000) });
    await created(draft);
    expect((gitlab.issues.all[0]?.description ?? '').length).toBeLessThanOrEqual(100_000);
    expect(await adapter.findByKey(contextOf(), draft.key)).toHaveLength(1);
  });

  it('is found on every page of the search', async () => {
    const draft = fieldDraft();
    const ref = await created(draft);
    const description = gitlab.issues.all[0]?.description ?? '';
    const word = /key\S+/.exec(description)?.[0] ?? '';
    for (let n = 0; n < 100; n += 1) {
      gitlab.issues.create({ title: 'x', description: `${word}0`, labels: [], confidential: false });
    }
    expect(await adapter.findByKey(contextOf(), draft.key)).toEqual([ref]);
  });
});

describe('an account without the required rights', () => {
  it('creates issues without labels as a guest, and the ticket and the test say so', async () => {
    gitlab.conditions.role = 'guest';
    expect(await create()).toMatchObject({ kind: 'created', degraded: [expect.stringContaining('acme-gateway')] });
    expect(await checks()).toEqual([
      expect.stringMatching(/^passed: The access token/),
      expect.stringMatching(/^passed: The project takes issues/),
      expect.stringMatching(/^warning: The account may set labels: .*Reporter/),
      expect.stringMatching(/^passed: Only members/),
    ]);
  });

  it.each([
    ['read_api', 'forbidden', 'lacks the scope api'],
    ['expired', 'auth', 'Token is expired'],
    ['revoked', 'auth', 'Token was revoked'],
  ] as const)('gets an error that its token is %s', async (token, code, message) => {
    gitlab.conditions.token = token;
    expect(await create()).toMatchObject({ kind: 'rejected', code, message: expect.stringContaining(message) });
    expect(await checks()).toEqual([expect.stringMatching(/^failed: The access token/)]);
    expect(await checks()).toEqual([expect.stringContaining(token === 'read_api' ? 'scope api' : message)]);
  });

  it('gets an error that the project is unknown or hidden if it is not a member', async () => {
    gitlab.conditions.role = 'none';
    expect(await create()).toMatchObject({
      kind: 'rejected',
      code: 'config',
      message: expect.stringContaining('(404)'),
    });
    expect((await checks()).at(-1)).toMatch(/^failed: The project takes issues: .*404/);
  });

  it('does not report an issue as deleted if it cannot see the project', async () => {
    const ref = await created();
    gitlab.conditions.role = 'none';
    await expect(adapter.status(contextOf(), ref)).rejects.toThrow('404');
    expect(await change(ref, 'comment')).toMatchObject({ kind: 'refused', code: 'config' });
  });
});

describe('the test of a connector', () => {
  it('warns about a token that expires within 30 days, and about a public project', async () => {
    gitlab.conditions.tokenEnds = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    gitlab.conditions.visibility = 'public';
    const seen = await checks(contextOf({ visibility: 'members' }));
    expect(seen).toContainEqual(expect.stringMatching(/^warning: The access token .* expires on/));
    expect(seen).toContainEqual(expect.stringMatching(/^warning: Only members .* public/));
    expect(await checks()).not.toContainEqual(expect.stringMatching(/^warning: Only members/));
  });

  it('passes on an instance that does not describe tokens', async () => {
    gitlab.conditions.isOld = true;
    expect(await checks()).toEqual([
      expect.stringMatching(/^passed: The project/),
      expect.stringMatching(/^passed: The account/),
      expect.stringMatching(/^passed: Only members/),
    ]);
  });

  it('fails for further fields that the issues API does not have, and names them', async () => {
    const known = contextOf({ fields: { assignee_ids: [42], due_date: '2026-12-01', issue_type: 'incident' } });
    expect((await checks(known)).at(-1)).toMatch(/^passed: GitLab knows the further fields: assignee_ids, due_date/);
    const unknown = contextOf({ fields: { assignee_ids: [42], milestone: 7, wieght: 3 } });
    expect((await checks(unknown)).at(-1)).toMatch(/^failed: GitLab knows the further fields: .* milestone, wieght,/);
  });

  it('fails for an archived project', async () => {
    gitlab.conditions.isArchived = true;
    expect((await checks()).at(-1)).toMatch(/^failed: The project takes issues: It is archived/);
  });
});

describe('a project that was moved', () => {
  it('causes an error that says so, and does not pause the connector as a failed login does', async () => {
    const context = contextOf({ project: gitlab.formerPath });
    const moved = { code: 'config', message: expect.stringContaining('moved or renamed') };
    expect(await create(fieldDraft(), context)).toMatchObject({ kind: 'rejected', ...moved });
    await expect(adapter.findByKey(context, newId())).rejects.toMatchObject({ platform: { code: 'config' } });
  });
});

describe('an issue that people moved, renamed or replaced', () => {
  it('is not changed any more after somebody moved it to another project', async () => {
    const ref = await created();
    const [issue] = gitlab.issues.all;
    if (issue) gitlab.issues.move(issue);
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'closed', resolution: 'Moved' });
    for (const kind of ['comment', 'priority', 'resolve', 'reopen'] as const) {
      expect(await change(ref, kind)).toMatchObject({ kind: 'refused', code: 'declined' });
    }
    expect(issue).toMatchObject({ state: 'closed', notes: [] });
  });

  it('gets its new address after the project was renamed', async () => {
    const ref = { ...(await created()), externalTicketId: 'acme/former#1' };
    const now = { externalTicketId: 'acme/security/ai-incidents#1', platformId: '84001' };
    expect(await adapter.status(contextOf(), ref)).toMatchObject({ status: 'open', movedTo: now });
    expect(await change(ref, 'comment')).toMatchObject({ kind: 'updated', ref: now });
  });

  it('counts as deleted, and is not confused with the issue of this number in another project', async () => {
    const ref = { ...(await created()), platformId: '77' };
    expect(await adapter.status(contextOf(), ref)).toBeNull();
    expect(await change(ref, 'resolve')).toMatchObject({ kind: 'gone' });
    expect(gitlab.issues.all).toMatchObject([{ state: 'opened', notes: [] }]);
  });
});

describe('labels', () => {
  const priorities = { critical: 'priority::1', high: 'priority::2' };

  it('of a connector are set in addition to the severity, and updated with it', async () => {
    const context = contextOf({ priorities });
    const ref = await created(fieldDraft({ severity: 'high', labels: ['a, b', 'ai-policy', 'high'] }), context);
    expect(gitlab.issues.all[0]?.labels).toEqual(['a- b', 'ai-policy', 'high', 'priority::2']);
    expect(await change(ref, 'priority', {}, context)).toMatchObject({ kind: 'updated' });
    expect(gitlab.issues.all[0]?.labels.toSorted()).toEqual(['a- b', 'ai-policy', 'critical', 'priority::1']);
  });

  it('that people removed are not added again', async () => {
    const ref = await created(fieldDraft({ severity: 'high', labels: ['high'] }));
    Object.assign(gitlab.issues.all[0] ?? {}, { labels: ['reviewed'] });
    expect(await change(ref, 'priority')).toMatchObject({ kind: 'updated', kept: expect.any(String) });
    expect(gitlab.issues.all[0]?.labels).toEqual(['reviewed']);
  });
});

describe('rate limits', () => {
  it('make the ticket wait for the time in Retry-After', async () => {
    gitlab.conditions.throttledForS = 30;
    expect(await create()).toMatchObject({ kind: 'retryable', retryAfterMs: 30_000 });
  });

  it('make the ticket wait for the usual delay if the limit of new issues names no time', async () => {
    gitlab.conditions.hasTooManyIssues = true;
    expect(await create()).toEqual({ kind: 'retryable', message: expect.any(String) });
  });

  it('make the ticket wait until the limit resets if a proxy has removed Retry-After', async () => {
    const reset = String(Math.floor(Date.now() / 1_000) + 3_600);
    const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': reset };
    gitlab.interfere(() => ({ kind: 'answer', answer: { status: 429, headers, text: 'Retry later' } }));
    const outcome = await create();
    if (outcome.kind !== 'retryable') throw new Error(JSON.stringify(outcome));
    expect(outcome.retryAfterMs).toBeGreaterThan(1_800_000);
    expect(outcome.retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });
});

describe('a truncated answer', () => {
  it('does not change the ticket and does not pause the connector', async () => {
    const ref = await created();
    gitlab.fault('broken JSON', ({ method }) => method === 'GET');
    await expect(adapter.status(contextOf(), ref)).rejects.toMatchObject({ platform: {} });
    expect(await change(ref, 'comment')).toMatchObject({ kind: 'retryable' });
  });

  it('leaves it unknown whether the issue exists', async () => {
    gitlab.fault('broken JSON', ({ method }) => method === 'POST');
    expect(await create()).toMatchObject({ kind: 'uncertain' });
    expect(gitlab.issues.all).toHaveLength(1);
  });
});

describe('a webhook', () => {
  const read = (body: string, headers: Record<string, string>) => {
    const report = { headers, bytes: Buffer.from(body) };
    return { report, update: adapter.mapInbound(JSON.parse(body) as JsonObject, report) };
  };

  it('reports confidential issues like others, and each delivery has an id', async () => {
    const ref = await created();
    const [issue] = gitlab.issues.all;
    if (!issue) throw new Error('There is no issue.');
    gitlab.issues.transit(issue, 'closed');
    const { body, headers } = gitlab.issues.webhookOf(issue, 'close', { eventUuid: 'e-1' });
    expect(headers['x-gitlab-event']).toBe('Confidential Issue Hook');
    expect(read(body, headers).update).toMatchObject({
      ...{ externalTicketId: ref.externalTicketId, platformId: ref.platformId, status: 'resolved' },
      ...{ eventId: 'gitlab:e-1:', updatedBy: 'root' },
    });
  });

  it('closes the ticket permanently when people add a label such as wontfix', async () => {
    await created();
    const [issue] = gitlab.issues.all;
    if (!issue) throw new Error('There is no issue.');
    issue.labels.push("resolution::won't do");
    gitlab.issues.transit(issue, 'closed');
    const { body, headers } = gitlab.issues.webhookOf(issue, 'close');
    expect(read(body, headers).update).toMatchObject({ status: 'closed', resolution: "won't do" });
  });

  it('is authenticated by its secret token, or by a signing token of Standard Webhooks', async () => {
    await created();
    const [issue] = gitlab.issues.all;
    if (!issue) throw new Error('There is no issue.');
    const token = 'a-secret-token-of-16';
    const { body, headers } = gitlab.issues.webhookOf(issue, 'update', { token });
    const { report } = read(body, headers);
    expect(adapter.isSigned(report, token)).toBe(true);
    expect(adapter.isSigned(report, `${token}x`)).toBe(false);
    // The example of https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md.
    const bytes = Buffer.from('{"event_type":"ping","data":{"success":true}}');
    const signed = { 'webhook-id': 'msg_loFOjxBNrRLzqYUf', 'webhook-timestamp': '1731705121' };
    const key = Buffer.from('C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'base64');
    const digest = createHmac('sha256', key)
      .update(`${Object.values(signed).join('.')}.`)
      .update(bytes)
      .digest('base64');
    const all = { ...signed, 'webhook-signature': `v1,other v1,${digest}` };
    expect(adapter.isSigned({ headers: all, bytes }, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')).toBe(true);
    expect(adapter.isSigned({ headers: { ...all, 'x-gitlab-token': token }, bytes }, token)).toBe(false);
  });
});
