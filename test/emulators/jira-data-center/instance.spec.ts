import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { platformAccess } from '../../support/itsm/platform-access.js';
import type { Issue } from '../jira/issues.js';
import { ask, type VendorAnswer, type VendorRequest } from '../vendor-client.js';
import { describeVendorFaults } from '../vendor-fault.rules.js';
import { startDataCenter, type DataCenter } from './instance.js';

const platforms = platformAccess();
let jira: DataCenter;
beforeEach(async () => {
  jira = await startDataCenter({ authority: platforms.authority });
});
afterEach(() => jira.close());

const FIELDS = { project: { key: 'SEC' }, issuetype: { name: 'Bug' }, summary: 'ada used gpt-4o' };

const send = (path: string, request: VendorRequest = {}): Promise<VendorAnswer> =>
  ask(platforms.egress, `${jira.base}${path}`, request);
const call = (path: string, { headers, ...request }: VendorRequest = {}): Promise<VendorAnswer> =>
  send(`/rest/api/2${path}`, { ...request, headers: { authorization: `Bearer ${jira.account.token}`, ...headers } });
const create = (fields: object = {}): Promise<VendorAnswer> =>
  call('/issue', { json: { fields: { ...FIELDS, ...fields } } });
const first = (): Issue => {
  const [issue] = jira.issues.all;
  if (!issue) throw new Error('There is no issue.');
  return issue;
};
const basic = (password: string): string =>
  `Basic ${Buffer.from(`${jira.account.name}:${password}`).toString('base64')}`;

/** https://confluence.atlassian.com/enterprise/using-personal-access-tokens-1026032365.html; https://developer.atlassian.com/server/jira/platform/basic-authentication/. */
describe('authentication', () => {
  it.each(['a personal access token as Bearer', 'name and password'])(
    'accepts %s, and answers name the account',
    async kind => {
      const authorization =
        kind === 'name and password' ? basic(jira.account.password) : `Bearer ${jira.account.token}`;
      const { status, json, headers } = await call('/myself', { headers: { authorization } });
      expect({ status, json }).toMatchObject({ status: 200, json: { name: 'svc-governance' } });
      expect(json).not.toHaveProperty('accountId');
      expect(headers['x-ausername']).toBe('svc-governance');
    },
  );

  it('refuses a token as the password of Basic, which works only in Jira Cloud', async () => {
    expect(await call('/myself', { headers: { authorization: basic(jira.account.token) } })).toMatchObject({
      status: 401,
    });
  });

  it.each(['Bearer wrong', 'Basic d3Jvbmc6d3Jvbmc='])(
    'answers 401 with a page and X-Seraph-LoginReason to %s',
    async authorization => {
      expect(await call('/serverInfo', { headers: { authorization } })).toMatchObject({
        ...{ status: 401, json: undefined },
        headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' },
      });
    },
  );

  it('answers 403 and CAPTCHA_CHALLENGE to a right password after too many failures, while tokens pass', async () => {
    jira.conditions.needsCaptcha = true;
    expect(await call('/myself', { headers: { authorization: basic(jira.account.password) } })).toMatchObject({
      status: 403,
      headers: { 'x-authentication-denied-reason': expect.stringContaining('CAPTCHA_CHALLENGE') },
    });
    expect(await call('/myself')).toMatchObject({ status: 200 });
  });

  it('treats a request without credentials as anonymous: it finds nothing, and a write is 401', async () => {
    await create();
    expect(await send('/rest/api/2/search?jql=')).toMatchObject({
      ...{ status: 200, json: { total: 0, issues: [] } },
      headers: { 'x-ausername': 'anonymous' },
    });
    expect(await send('/rest/api/2/issue', { json: { fields: FIELDS } })).toMatchObject({ status: 401 });
  });
});

/** https://confluence.atlassian.com/jirakb/rest-api-calls-with-a-browser-user-agent-header-may-fail-csrf-checks-802591455.html. */
describe('the XSRF check', () => {
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };

  it('refuses writes with a browser’s User-Agent with 403 and a plain text, and allows reads', async () => {
    const json = { fields: FIELDS };
    expect(await call('/issue', { json, headers: browser })).toMatchObject({ status: 403, text: 'XSRF check failed' });
    expect(jira.issues.all).toEqual([]);
    expect(await call('/search?jql=', { headers: browser })).toMatchObject({ status: 200 });
  });

  it('allows writes with X-Atlassian-Token: no-check', async () => {
    const headers = { ...browser, 'x-atlassian-token': 'no-check' };
    expect(await call('/issue', { json: { fields: FIELDS }, headers })).toMatchObject({ status: 201 });
  });
});

/** https://developer.atlassian.com/server/jira/platform/rest/. */
describe('the API', () => {
  it('is version 2, under the context path, and says that it is not Cloud', async () => {
    expect(await call('/serverInfo')).toMatchObject({ status: 200, json: { deploymentType: 'Server' } });
  });

  it.each(['/rest/api/3/myself', '/rest/api/2/search/jql?jql=x', '/rest/api/2/issue/createmeta/x'])(
    'has no %s: 404',
    async path => {
      const headers = { authorization: `Bearer ${jira.account.token}` };
      expect(await send(path, { headers })).toMatchObject({ status: 404 });
    },
  );

  it('lists types and fields of a project in pages of values', async () => {
    expect(await call('/issue/createmeta/SEC/issuetypes')).toMatchObject({
      json: { isLast: true, total: 2, values: [{ id: '10002', name: 'Task' }, { name: 'Bug' }] },
    });
    const { json } = await call('/issue/createmeta/SEC/issuetypes/10002');
    expect((json as { values: JsonObject[] }).values).toContainEqual(
      expect.objectContaining({ fieldId: 'summary', required: true }),
    );
  });

  it('answers 415 to a body that is not sent as JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(await call('/issue', { text: '{}', headers })).toMatchObject({ status: 415 });
  });
});

/** https://developer.atlassian.com/server/jira/platform/rest/, "Create issue". */
describe('a new issue', () => {
  it('is answered with 201, id, key and address', async () => {
    const self = `${jira.base}/rest/api/2/issue/20001`;
    expect(await create({ description: 'h2. Who\n*ada*' })).toMatchObject({
      status: 201,
      json: { key: 'SEC-1', self },
    });
    expect(first().fields['description']).toBe('h2. Who\n*ada*');
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a document of Jira Cloud',
      { description: { type: 'doc', version: 1, content: [] } },
      { description: 'Operation value must be a string' },
    ],
    [
      'a text of 32,768 characters',
      { description: 'x'.repeat(32_768) },
      { description: expect.stringContaining('32,767') as unknown as string },
    ],
    [
      'a summary of 256 characters',
      { summary: 'x'.repeat(256) },
      { summary: 'Summary must be less than 255 characters.' },
    ],
    [
      'a summary of two lines',
      { summary: 'a\nb' },
      { summary: expect.stringContaining('newline') as unknown as string },
    ],
    [
      'a label with a space',
      { labels: ['ai policy'] },
      { labels: expect.stringContaining('contains spaces') as unknown as string },
    ],
    [
      'a reporter given by account id',
      { reporter: { accountId: '5b10' } },
      { reporter: 'The reporter specified is not a user.' },
    ],
    ['an unknown priority', { priority: { name: 'P9' } }, { priority: 'The priority selected is invalid.' }],
    ['an unknown field', { urgency: '1' }, { urgency: expect.stringContaining('cannot be set') as unknown as string }],
    ['an unknown type', { issuetype: { name: 'Incident' } }, { issuetype: 'issue type is required' }],
  ])('is refused with 400 and errors by field for %s', async (_name, fields, errors) => {
    expect(await create(fields)).toMatchObject({ status: 400, json: { errorMessages: [], errors } });
    expect(jira.issues.all).toEqual([]);
  });

  it('is refused as if the project did not exist if the account may not see it', async () => {
    jira.conditions.isMember = false;
    expect(await create()).toMatchObject({ status: 400, json: { errors: { project: 'project is required' } } });
  });
});

/** https://developer.atlassian.com/server/jira/platform/rest/, "Add comment", "Do transition", "Edit issue". */
describe('an issue', () => {
  beforeEach(() => create());

  it('accepts comments in wiki markup but not as documents', async () => {
    expect(await call('/issue/SEC-1/comment', { json: { body: '*Twice* more.' } })).toMatchObject({
      status: 201,
      json: { body: '*Twice* more.', author: { name: 'svc-governance' } },
    });
    expect(await call('/issue/SEC-1/comment', { json: { body: { type: 'doc' } } })).toMatchObject({ status: 400 });
    expect(await call('/issue/SEC-1/comment')).toMatchObject({ json: { total: 1 } });
  });

  it('passes through its transitions, and has a resolution only in a final state', async () => {
    expect(await call('/issue/SEC-1/transitions', { json: { transition: { id: '31' } } })).toMatchObject({
      status: 204,
    });
    expect(first()).toMatchObject({ status: { name: 'Done' }, resolution: 'Done' });
    await call('/issue/SEC-1/transitions', { json: { transition: { id: '21' } } });
    expect(first()).toMatchObject({ status: { name: 'In Progress' }, resolution: null });
    expect(await call('/issue/SEC-1/transitions', { json: { transition: { id: '9' } } })).toMatchObject({
      status: 400,
    });
  });

  it('is edited with 204', async () => {
    const edit = (fields: object): Promise<VendorAnswer> => call('/issue/SEC-1', { method: 'PUT', json: { fields } });
    expect(await edit({ priority: { name: 'Highest' } })).toMatchObject({ status: 204 });
    expect(first().priority?.name).toBe('Highest');
    expect(await edit({ priority: { name: 'P9' } })).toMatchObject({ status: 400 });
  });

  it('is found by a previous key after a person has moved it, and is 404 if it is hidden', async () => {
    jira.issues.moveTo('OPS', 'SEC-1');
    expect(await call('/issue/SEC-1?fields=summary')).toMatchObject({ json: { id: '20001', key: first().key } });
    jira.conditions.isMember = false;
    expect(await call('/issue/SEC-1')).toMatchObject({
      status: 404,
      json: { errorMessages: ['Issue Does Not Exist'] },
    });
  });
});

/** https://support.atlassian.com/jira/kb/how-to-handle-http-400-bad-request-errors-on-jira-search-rest-api-endpoint. */
describe('a search', () => {
  const keysOf = ({ json }: VendorAnswer): string[] =>
    (json as { issues: { key: string }[] }).issues.map(({ key }) => key);
  beforeEach(async () => {
    for (const label of ['key-1', 'key-2', 'key-2']) await create({ labels: [label] });
  });

  it('has pages by startAt and maxResults and gives the total, by GET and by POST', async () => {
    const got = await call(`/search?jql=${encodeURIComponent('labels = "key-2"')}&startAt=1&maxResults=1`);
    expect(got).toMatchObject({ status: 200, json: { startAt: 1, maxResults: 1, total: 2 } });
    expect(keysOf(got)).toEqual(['SEC-2']);
    expect(got.json).not.toHaveProperty('nextPageToken');
    expect(keysOf(await call('/search', { json: { jql: 'labels = "key-1"', fields: ['summary'] } }))).toEqual([
      'SEC-1',
    ]);
  });

  it('finds everything by an empty query, at most as many issues as the instance allows per page', async () => {
    jira.conditions.searchPage = 2;
    expect(await call('/search?jql=&maxResults=500')).toMatchObject({ json: { maxResults: 2, total: 3 } });
  });

  it('is refused with 400 if it names a missing issue, unless validation is off', async () => {
    expect(await call('/search?jql=key%20%3D%20SEC-99')).toMatchObject({
      status: 400,
      json: { errorMessages: ["An issue with key 'SEC-99' does not exist for field 'key'."] },
    });
    expect(await call('/search?jql=key%20%3D%20SEC-99&validateQuery=false')).toMatchObject({
      status: 200,
      json: { total: 0 },
    });
    expect(await call('/search?jql=labels%20%3D%20key-99')).toMatchObject({ status: 200, json: { total: 0 } });
  });

  it('is refused with 400 if it names an unknown field', async () => {
    expect(await call('/search?jql=nothing%20%3D%201')).toMatchObject({
      status: 400,
      json: { errorMessages: [expect.stringContaining("Field 'nothing' does not exist")] },
    });
  });
});

/** https://confluence.atlassian.com/adminjiraserver/adjusting-your-code-for-rate-limiting-987143384.html. */
it('the rate limit answers 429 with Retry-After and the headers of the token bucket', async () => {
  jira.conditions.throttledForS = 30;
  expect(await create()).toMatchObject({
    status: 429,
    headers: { 'retry-after': '30', 'x-ratelimit-remaining': '0', 'x-ratelimit-interval-seconds': '60' },
  });
  expect(jira.issues.all).toEqual([]);
});

/** https://developer.atlassian.com/server/jira/platform/webhooks/. */
it('a webhook contains the issue, the person by name, and an id that retries repeat', async () => {
  await create();
  const { body, headers } = jira.webhookOf(first(), 'w-1');
  expect(headers).toMatchObject({ 'x-atlassian-webhook-identifier': 'w-1' });
  expect(JSON.parse(body)).toMatchObject({ user: { name: 'svc-governance' }, issue: { key: 'SEC-1' } });
});

describeVendorFaults({
  platform: () => jira,
  create: () => create(),
  count: () => jira.issues.all.length,
  success: 201,
});
