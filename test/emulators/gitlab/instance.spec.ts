import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { ask, type VendorAnswer, type VendorRequest } from '../vendor-client.js';
import { describeVendorFaults } from '../vendor-fault.rules.js';
import type { GitLabConditions } from './conditions.js';
import { startGitLab, type GitLab } from './instance.js';

const platforms = platformAccess();
let gitlab: GitLab;
beforeEach(async () => {
  gitlab = await startGitLab({ authority: platforms.authority });
});
afterEach(() => gitlab.close());

const call = (path: string, { headers, ...request }: VendorRequest = {}): Promise<VendorAnswer> =>
  ask(platforms.egress, `${gitlab.origin}/api/v4${path}`, {
    ...request,
    headers: { 'private-token': gitlab.token, ...headers },
  });
const create = (json: object = {}): Promise<VendorAnswer> =>
  call('/projects/15/issues', { json: { title: 'ada used gpt-4o', ...json } });
const change = (json: object, iid = 1): Promise<VendorAnswer> =>
  call(`/projects/15/issues/${iid}`, { method: 'PUT', json });
const iidsOf = async (query: string): Promise<unknown> => {
  const { json } = await call(`/projects/15/issues?${query}`);
  return (json as { iid: number }[]).map(({ iid }) => iid);
};

/** https://docs.gitlab.com/api/rest/authentication/. */
describe('authentication', () => {
  it.each(['private-token', 'Bearer'] as const)('accepts the token as %s', async kind => {
    const [name, value] = kind === 'Bearer' ? ['authorization', `Bearer ${gitlab.token}`] : [kind, gitlab.token];
    const headers = { [name]: value };
    expect(await ask(platforms.egress, `${gitlab.origin}/api/v4/user`, { headers })).toMatchObject({ status: 200 });
  });

  it.each<Record<string, string>>([{}, { 'private-token': 'glpat-wrong' }, { authorization: 'Basic Z2xwYXQ6eA==' }])(
    'answers 401 with a message if the headers are %j',
    async headers => {
      expect(await ask(platforms.egress, `${gitlab.origin}/api/v4/projects/15/issues`, { headers })).toMatchObject({
        status: 401,
        json: { message: '401 Unauthorized' },
      });
    },
  );

  it.each<[GitLabConditions['token'], number, string]>([
    ['expired', 401, 'invalid_token'],
    ['revoked', 401, 'invalid_token'],
    ['read_api', 403, 'insufficient_scope'],
  ])('answers a write with a token that is %s with %d and an OAuth error', async (token, status, error) => {
    gitlab.conditions.token = token;
    expect(await create()).toMatchObject({ status, json: { error } });
    expect(gitlab.issues.all).toEqual([]);
  });

  it('lets a token with the scope read_api read', async () => {
    gitlab.conditions.token = 'read_api';
    expect(await call('/projects/15/issues')).toMatchObject({ status: 200, json: [] });
  });
});

/** https://docs.gitlab.com/api/rest/, "Namespaced paths" and "Redirects"; https://docs.gitlab.com/api/issues/. */
describe('the address of a project', () => {
  it.each(['15', 'acme%2Fsecurity%2Fai-incidents'])('may be %s', async id => {
    expect(await call(`/projects/${id}`)).toMatchObject({ status: 200, json: { id: 15 } });
  });

  it('is unknown if its path is not encoded', async () => {
    expect(await call('/projects/acme/security/ai-incidents/issues')).toMatchObject({ status: 404 });
  });

  it('is unknown to an account that is not a member of the private project', async () => {
    gitlab.conditions.role = 'none';
    expect(await create()).toMatchObject({ status: 404, json: { message: '404 Project Not Found' } });
  });

  it('redirects GET and refuses POST with 405 after the project was moved', async () => {
    const former = `/projects/${encodeURIComponent(gitlab.formerPath)}/issues`;
    expect(await call(`${former}?state=opened`)).toMatchObject({
      status: 301,
      headers: { location: `${gitlab.origin}/api/v4/projects/15/issues?state=opened` },
    });
    expect(await call(former, { json: { title: 'x' } })).toMatchObject({
      status: 405,
      json: { message: 'Non GET methods are not allowed for moved projects' },
    });
    expect(gitlab.issues.all).toEqual([]);
  });

  it('refuses writes while the project is archived', async () => {
    gitlab.conditions.isArchived = true;
    expect(await create()).toMatchObject({ status: 403, json: { message: '403 Forbidden' } });
  });
});

/** https://docs.gitlab.com/api/issues/, "Create an issue"; https://docs.gitlab.com/api/rest/troubleshooting/. */
describe('a new issue', () => {
  it('is answered with 201, its iid, its labels and its address', async () => {
    expect(await create({ labels: 'ai-policy, critical', confidential: true })).toMatchObject({
      status: 201,
      json: {
        ...{ iid: 1, project_id: 15, state: 'opened', confidential: true, labels: ['ai-policy', 'critical'] },
        web_url: `${gitlab.origin}/acme/security/ai-incidents/-/issues/1`,
      },
    });
  });

  it('may have its attributes in the query', async () => {
    const answer = await call('/projects/15/issues?title=x&labels=a,b', { method: 'POST' });
    expect(answer).toMatchObject({ status: 201, json: { title: 'x', labels: ['a', 'b'] } });
  });

  it.each<[GitLabConditions['missing'], JsonObject]>([
    ['documented', { message: '400 (Bad request) "title" not given' }],
    ['parser', { error: 'title is missing' }],
  ])('requires a title, and the error is the one that is %s', async (missing, json) => {
    gitlab.conditions.missing = missing;
    expect(await call('/projects/15/issues', { json: { description: 'x' } })).toMatchObject({ status: 400, json });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a title of 256 characters', { title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
    ['a blank title', { title: ' ' }, { title: ["can't be blank"] }],
    [
      'a description of more than 1,048,576 characters',
      { description: 'x'.repeat(1_048_577) },
      { description: ['is too long (maximum is 1048576 characters)'] },
    ],
  ])('is refused with an object of messages for %s', async (_name, more, message) => {
    expect(await create(more)).toMatchObject({ status: 400, json: { message } });
    expect(gitlab.issues.all).toEqual([]);
  });

  it('accepts a title of 255 characters', async () => {
    expect(await create({ title: 'x'.repeat(255) })).toMatchObject({ status: 201 });
  });

  it('is refused if the body is not a JSON object', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await call('/projects/15/issues', { text: '{"title":', headers })).toMatchObject({ status: 400 });
  });

  it('silently loses its labels if a guest creates it', async () => {
    gitlab.conditions.role = 'guest';
    expect(await create({ labels: 'ai-policy' })).toMatchObject({ status: 201, json: { labels: [] } });
  });

  it.each<['discarded' | 'captcha', number, JsonObject]>([
    ['discarded', 400, { message: { error: expect.stringContaining('recognized as spam') as unknown as string } }],
    ['captcha', 409, { needs_captcha_response: true, spam_log_id: 42 }],
  ])('is refused if it is classified as spam (%s), with %d', async (spam, status, json) => {
    gitlab.conditions.spam = spam;
    expect(await create()).toMatchObject({ status, json });
    expect(gitlab.issues.all).toEqual([]);
  });
});

/** https://docs.gitlab.com/api/issues/, "Edit an issue" and "Single project issue". */
describe('an issue', () => {
  beforeEach(() => create({ labels: 'ai-policy,high' }));

  it('is closed and reopened by state_event', async () => {
    expect(await change({ state_event: 'close' })).toMatchObject({ status: 200, json: { state: 'closed' } });
    expect(await change({ state_event: 'reopen' })).toMatchObject({ json: { state: 'opened', closed_at: null } });
  });

  it('does not change and returns no error when it is closed twice', async () => {
    await change({ state_event: 'close' });
    const at = gitlab.issues.all[0]?.closedAt;
    expect(await change({ state_event: 'close' })).toMatchObject({ status: 200, json: { state: 'closed' } });
    expect(gitlab.issues.all[0]?.closedAt).toBe(at);
  });

  it.each([
    [{ state: 'closed', state_event: 'done' }, 'state_event does not have a valid value'],
    [{ confidential: 'perhaps' }, 'confidential is invalid'],
    [{}, 'at least one parameter must be provided'],
  ])('refuses the change %j', async (json, error) => {
    expect(await change(json)).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining(error) },
    });
  });

  it('changes single labels by add_labels and remove_labels, and all by labels', async () => {
    expect(await change({ add_labels: 'critical', remove_labels: 'high' })).toMatchObject({
      json: { labels: ['ai-policy', 'critical'] },
    });
    expect(await change({ labels: '' })).toMatchObject({ json: { labels: [] } });
  });

  it('is closed and names the new issue after a person has moved it', async () => {
    const [issue] = gitlab.issues.all;
    if (issue) gitlab.issues.move(issue);
    const { json } = await call('/projects/15/issues/1');
    expect(json).toMatchObject({ state: 'closed', moved_to_id: (issue?.id ?? 0) + 1_000_000 });
  });

  it('is found by its iid, not by its id', async () => {
    expect(await call(`/projects/15/issues/${gitlab.issues.all[0]?.id}`)).toMatchObject({
      status: 404,
      json: { message: '404 Not found' },
    });
  });
});

/** https://docs.gitlab.com/user/project/issues/confidential_issues/. */
describe('a confidential issue of somebody else', () => {
  beforeEach(() => {
    gitlab.issues.create({ title: 'hidden', description: null, labels: ['x'], confidential: true }, false);
    gitlab.conditions.role = 'guest';
  });

  it('is 404 for a guest, like one that does not exist, and missing from lists', async () => {
    const [hidden, none] = [await call('/projects/15/issues/1'), await call('/projects/15/issues/99')];
    expect(hidden).toMatchObject({ status: 404, json: none.json });
    expect(await call('/projects/15/issues?labels=x')).toMatchObject({ json: [], headers: { 'x-total': '0' } });
  });

  it('is visible to a reporter', async () => {
    gitlab.conditions.role = 'reporter';
    expect(await iidsOf('labels=x')).toEqual([1]);
  });
});

/** https://docs.gitlab.com/api/issues/, "List project issues"; https://docs.gitlab.com/api/rest/, "Pagination". */
describe('a list of issues', () => {
  it('contains the issues that have all the labels, newest first', async () => {
    for (const labels of ['a', 'a,b', 'b,a,c', '']) await create({ labels });
    expect(await iidsOf('labels=a,b')).toEqual([3, 2]);
    expect(await iidsOf('labels=None')).toEqual([4]);
    expect(await iidsOf('labels=Any')).toEqual([3, 2, 1]);
    expect(await iidsOf('labels=A')).toEqual([]);
  });

  it('is filtered by state, iids and words of title and description', async () => {
    await create({ description: 'Key 4711' });
    await create();
    await change({ state_event: 'close' });
    expect(await iidsOf('state=closed')).toEqual([1]);
    expect(await iidsOf('search=key%204711')).toEqual([1]);
    expect(await iidsOf('iids[]=2')).toEqual([2]);
    expect(await call('/projects/15/issues?state=done')).toMatchObject({ status: 400 });
  });

  it('has pages of 20, at most 100, with headers that name the next page', async () => {
    const issue = { title: 'x', description: null, labels: [], confidential: false };
    for (let n = 0; n < 101; n += 1) gitlab.issues.create(issue);
    expect(await iidsOf('page=6')).toEqual([1]);
    const { headers, json } = await call('/projects/15/issues?per_page=500');
    expect(json).toHaveLength(100);
    expect(headers).toMatchObject({ 'x-total': '101', 'x-per-page': '100', 'x-next-page': '2', 'x-total-pages': '2' });
  });
});

/** https://docs.gitlab.com/api/notes/; https://docs.gitlab.com/user/project/quick_actions/. */
describe('a note', () => {
  const note = (body: string): Promise<VendorAnswer> => call('/projects/15/issues/1/notes', { json: { body } });
  beforeEach(() => create());

  it('is added to the issue and listed, newest first', async () => {
    expect(await note('Twice more.')).toMatchObject({ status: 201, json: { body: 'Twice more.', noteable_iid: 1 } });
    await note('Thrice.');
    const { json } = await call('/projects/15/issues/1/notes');
    expect(json).toMatchObject([{ body: 'Thrice.' }, { body: 'Twice more.' }]);
  });

  it('runs the quick actions in it, and is not stored if it contains nothing else', async () => {
    expect(await note('/close')).toMatchObject({ status: 202, json: { commands_changes: { state_event: 'close' } } });
    expect(gitlab.issues.all).toMatchObject([{ state: 'closed', notes: [] }]);
    expect(await note('Seen again.\n/reopen')).toMatchObject({ status: 201, json: { body: 'Seen again.' } });
    expect(gitlab.issues.all).toMatchObject([{ state: 'opened' }]);
  });

  it('is refused if it is empty', async () => {
    expect(await note(' ')).toMatchObject({ status: 400, json: { message: { note: ["can't be blank"] } } });
  });
});

/** https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/, "Response headers". */
describe('the rate limit', () => {
  it('answers 429 with a plain text, Retry-After and the headers of the limiter', async () => {
    gitlab.conditions.throttledForS = 30;
    const { status, text, json, headers } = await create();
    expect({ status, text, json }).toEqual({ status: 429, text: 'Retry later\n', json: undefined });
    expect(headers).toMatchObject({ 'retry-after': '30', 'ratelimit-remaining': '0' });
  });

  it('answers 429 with an object and without Retry-After if the limit of new issues is reached', async () => {
    gitlab.conditions.hasTooManyIssues = true;
    const { status, json, headers } = await create();
    expect({ status, json }).toMatchObject({ status: 429, json: { message: { error: expect.any(String) } } });
    expect(headers).not.toHaveProperty('retry-after');
  });
});

/** https://docs.gitlab.com/user/project/integrations/webhooks/; https://docs.gitlab.com/user/project/integrations/webhook_events/. */
describe('a webhook', () => {
  it('contains its secret unchanged, the kind of event, and ids of event and delivery', async () => {
    await create({ labels: 'ai-policy' });
    const [issue] = gitlab.issues.all;
    if (!issue) throw new Error('There is no issue.');
    const { headers, body } = gitlab.issues.webhookOf(issue, 'close', { token: 's3cret', eventUuid: 'e-1' });
    expect(headers).toMatchObject({
      ...{ 'x-gitlab-token': 's3cret', 'x-gitlab-event': 'Issue Hook', 'x-gitlab-event-uuid': 'e-1' },
      ...{ 'x-gitlab-instance': gitlab.origin, 'idempotency-key': 'e-1' },
    });
    expect(JSON.parse(body)).toMatchObject({
      ...{ object_kind: 'issue', project: { id: 15 }, labels: [{ title: 'ai-policy' }] },
      object_attributes: { iid: 1, action: 'close', state: 'opened' },
    });
  });

  it('has no token header without a secret, and another kind for confidential issues', async () => {
    await create({ confidential: true });
    const [issue] = gitlab.issues.all;
    if (!issue) throw new Error('There is no issue.');
    const { headers } = gitlab.issues.webhookOf(issue, 'open');
    expect(headers).not.toHaveProperty('x-gitlab-token');
    expect(headers['x-gitlab-event']).toBe('Confidential Issue Hook');
  });
});

describeVendorFaults({
  platform: () => gitlab,
  create: () => create(),
  count: () => gitlab.issues.all.length,
  success: 201,
});
