import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '#core';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { ask, type VendorAnswer, type VendorRequest } from '../vendor-client.js';
import { describeVendorFaults } from '../vendor-fault.rules.js';
import type { WorkItem } from './items.js';
import { startOrganization, type Organization } from './organization.js';
import type { ProcessName } from './process.js';

const platforms = platformAccess();
let azure: Organization;
beforeEach(async () => {
  azure = await startOrganization({ authority: platforms.authority });
});
afterEach(() => azure.close());

const PROJECT = '/AI%20Governance';
const PATCH_TYPE = { 'content-type': 'application/json-patch+json' };
const basic = (token: string): string => `Basic ${Buffer.from(`:${token}`).toString('base64')}`;

const call = (path: string, { headers, ...request }: VendorRequest = {}): Promise<VendorAnswer> =>
  ask(platforms.egress, `${azure.base}${path}`, {
    ...request,
    headers: { authorization: basic(azure.token), ...headers },
  });
const patchOf = (fields: object): Json[] =>
  Object.entries(fields).map(([name, value]) => ({ op: 'add', path: `/fields/${name}`, value: value as Json }));
const create = (fields: object = {}, type = 'Bug', project = PROJECT): Promise<VendorAnswer> =>
  call(`${project}/_apis/wit/workitems/$${type}?api-version=7.1`, {
    json: patchOf({ 'System.Title': 'ada used gpt-4o', ...fields }),
    headers: PATCH_TYPE,
  });
const update = (json: unknown, headers: Record<string, string> = PATCH_TYPE): Promise<VendorAnswer> =>
  call('/_apis/wit/workitems/297?api-version=7.1', { method: 'PATCH', json, headers });
const query = (where: string, more = '', project = PROJECT): Promise<VendorAnswer> =>
  call(`${project}/_apis/wit/wiql?api-version=7.1${more}`, {
    json: { query: `SELECT [System.Id] FROM WorkItems WHERE ${where} ORDER BY [System.Id] DESC` },
  });
const idsOf = ({ json }: VendorAnswer): number[] =>
  (json as { workItems: { id: number }[] }).workItems.map(({ id }) => id);
const first = (): WorkItem => {
  const [item] = azure.items.all;
  if (!item) throw new Error('There is no work item.');
  return item;
};

/** https://github.com/MicrosoftDocs/vsts-rest-api-specs/issues/574; https://github.com/microsoft/azure-devops-auth-samples/issues/52. */
describe('authentication', () => {
  it.each(['Basic', 'Bearer'])('accepts the token as %s', async kind => {
    const authorization = kind === 'Basic' ? basic(azure.token) : `Bearer ${azure.token}`;
    expect(
      await call(`${PROJECT}/_apis/wit/workitemtypes?api-version=7.1`, { headers: { authorization } }),
    ).toMatchObject({
      status: 200,
    });
  });

  it('answers a wrong token with the sign-in page and 203, or with a redirect to it and 302', async () => {
    const headers = { authorization: basic('wrong'), ...PATCH_TYPE };
    const path = `${PROJECT}/_apis/wit/workitems/$Bug?api-version=7.1`;
    const page = await call(path, { json: patchOf({ 'System.Title': 'x' }), headers });
    expect(page).toMatchObject({ status: 203, json: undefined, text: expect.stringContaining('Sign In') });
    azure.conditions.signIn = 'redirect';
    expect(await call(path, { headers })).toMatchObject({
      status: 302,
      headers: { location: expect.stringContaining('/_signin') },
    });
    expect(azure.items.all).toEqual([]);
  });

  it('answers 401 and TF400813 to a wrong token in a PATCH, or if the redirect is suppressed', async () => {
    const unauthorized = { status: 401, json: { typeKey: 'UnauthorizedRequestException' } };
    const authorization = basic('wrong');
    expect(await update(patchOf({}), { authorization, ...PATCH_TYPE })).toMatchObject(unauthorized);
    const headers = { authorization, 'x-tfs-fedauthredirect': 'Suppress' };
    expect(await call('/_apis/wit/workitems/297?api-version=7.1', { headers })).toMatchObject(unauthorized);
  });

  it('answers 401 with a plain text to an expired token', async () => {
    azure.conditions.token = 'expired';
    expect(await create()).toMatchObject({ status: 401, text: expect.stringContaining('has expired') });
  });

  it('lets a token without the scope vso.work_write search and read, but not write', async () => {
    azure.conditions.token = 'read only';
    expect(await query("[System.State] = 'New'")).toMatchObject({ status: 200 });
    expect(await create()).toMatchObject({ status: 401 });
  });
});

/** https://learn.microsoft.com/azure/devops/integrate/concepts/rest-api-versioning. */
describe('the version of the API', () => {
  it.each([
    ['is missing', '', 'VssVersionNotSpecifiedException'],
    ['is out of range', '?api-version=9.0', 'VssVersionOutOfRangeException'],
    ['is not a version', '?api-version=latest', 'VssInvalidApiResourceVersionException'],
    ['is a preview version without the suffix', '?api-version=7.2', 'VssInvalidPreviewVersionException'],
  ])('is refused with 400 if it %s', async (_name, suffix, typeKey) => {
    expect(await call(`/_apis/wit/workitems/297${suffix}`)).toMatchObject({ status: 400, json: { typeKey } });
  });

  it('may be in the Accept header', async () => {
    const headers = { accept: 'application/json;api-version=7.1' };
    expect(await call(`${PROJECT}/_apis/wit/workitemtypes`, { headers })).toMatchObject({ status: 200 });
  });

  it('of comments is a preview', async () => {
    await create();
    const path = '/_apis/wit/workitems/297/comments?api-version=7.1';
    expect(await call(path, { json: { text: 'x' } })).toMatchObject({ status: 400 });
    expect(await call(`${path}-preview.4`, { json: { text: 'x' } })).toMatchObject({ status: 200, json: { id: 1 } });
  });
});

/** https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/create; .../work-items/update. */
describe('a work item', () => {
  it('is created with 200, its first state, its revision and its web address', async () => {
    const fields = { 'System.State': 'New', 'System.TeamProject': 'AI Governance', 'System.WorkItemType': 'Bug' };
    expect(await create()).toMatchObject({
      status: 200,
      json: {
        id: 297,
        rev: 1,
        fields,
        _links: { html: { href: `${azure.base}/AI%20Governance/_workitems/edit/297` } },
      },
    });
  });

  it('is refused when the content type is application/json', async () => {
    const path = `${PROJECT}/_apis/wit/workitems/$Bug?api-version=7.1`;
    expect(await call(path, { json: patchOf({ 'System.Title': 'x' }) })).toMatchObject({
      status: 400,
      json: { typeKey: 'VssRequestContentTypeNotSupportedException' },
    });
  });

  it.each<[string, unknown]>([
    ['an object', { title: 'x' }],
    ['an empty array', []],
    ['an operation without a path', [{ op: 'add', value: 'x' }]],
    ['an unknown operation', [{ op: 'set', path: '/fields/System.Title', value: 'x' }]],
  ])('is refused when the patch is %s', async (_name, json) => {
    const path = `${PROJECT}/_apis/wit/workitems/$Bug?api-version=7.1`;
    expect(await call(path, { json, headers: PATCH_TYPE })).toMatchObject({
      status: 400,
      json: { message: 'You must pass a valid patch document in the body of the request.' },
    });
  });

  it.each<[string, JsonObject, string]>([
    ['no title', { 'System.Title': '' }, 'TF401320: Rule Error for field Title. Error code: Required, InvalidEmpty.'],
    [
      'a title of 256 characters',
      { 'System.Title': 'x'.repeat(256) },
      'TF401320: Rule Error for field Title. Error code: InvalidTooLong.',
    ],
    ['an unknown field', { 'Custom.Nothing': 'x' }, 'TF51535: Cannot find field Custom.Nothing.'],
    ['a priority of 5', { 'Microsoft.VSTS.Common.Priority': 5 }, "The field 'Priority' contains the value '5'"],
    ['an unknown severity', { 'Microsoft.VSTS.Common.Severity': 'high' }, "The field 'Severity' contains the value"],
    ['a state other than the first', { 'System.State': 'Closed' }, "The field 'State' contains the value 'Closed'"],
    [
      'an area path of another project',
      { 'System.AreaPath': 'Else' },
      "TF401347: Invalid tree name given for work item -1, field 'System.AreaPath'.",
    ],
    ['a read-only field', { 'System.Id': 1 }, 'TF401320: Rule Error for field ID. Error code: ReadOnly.'],
    ['101 tags', { 'System.Tags': Array.from({ length: 101 }, (_each, at) => `t${at}`).join(';') }, 'TF401320'],
  ])('is refused with 400 for %s', async (_name, fields, message) => {
    expect(await create(fields)).toMatchObject({ status: 400, json: { message: expect.stringContaining(message) } });
    expect(azure.items.all).toEqual([]);
  });

  it('requires the fields of a process rule, and names each in the error', async () => {
    azure.conditions.required = { 'Custom.Environment': 'Environment' };
    const { status, json } = await create();
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        typeKey: 'RuleValidationException',
        customProperties: { RuleValidationErrors: [{ fieldReferenceName: 'Custom.Environment' }] },
      },
    });
    expect(await create({ 'Custom.Environment': 'production' })).toMatchObject({ status: 200 });
  });

  it('is not saved if the request only validates it', async () => {
    const path = `${PROJECT}/_apis/wit/workitems/$Bug?validateOnly=true&api-version=7.1`;
    expect(await call(path, { json: patchOf({ 'System.Title': 'x' }), headers: PATCH_TYPE })).toMatchObject({
      status: 200,
    });
    expect(azure.items.all).toEqual([]);
  });

  it('is 404 if its type or its project is unknown', async () => {
    expect(await create({}, 'Incident')).toMatchObject({
      status: 404,
      json: { message: expect.stringContaining('VS402323') },
    });
    expect(await create({}, 'Bug', '/Else')).toMatchObject({
      status: 404,
      json: { message: expect.stringContaining('TF200016') },
    });
  });

  it('is 404 if it is hidden, like an item that never existed', async () => {
    await create();
    first().isHidden = true;
    const [hidden, none] = [await update(patchOf({})), await call('/_apis/wit/workitems/9?api-version=7.1')];
    expect([hidden.status, none.status]).toEqual([404, 404]);
    expect(hidden.text.replace('297', '9')).toBe(none.text);
  });

  it('keeps its id when it is moved, and is no longer in the previous project', async () => {
    await create();
    azure.projects.set('Else', 'Agile');
    azure.items.move(first(), 'Else');
    expect(await call(`${PROJECT}/_apis/wit/workitems/297?api-version=7.1`)).toMatchObject({ status: 404 });
    expect(await call('/_apis/wit/workitems/297?fields=System.TeamProject&api-version=7.1')).toMatchObject({
      json: { id: 297, rev: 2, fields: { 'System.TeamProject': 'Else' } },
    });
  });

  it('accepts comments as System.History', async () => {
    await create();
    await update(patchOf({ 'System.History': 'Twice more.' }));
    expect(await call('/_apis/wit/workitems/297/comments?api-version=7.1-preview.4')).toMatchObject({
      json: { count: 1, comments: [{ text: 'Twice more.' }] },
    });
  });

  it('adds tags by add, and replaces all of them by replace', async () => {
    await create({ 'System.Tags': 'ai-policy; high' });
    await update([{ op: 'add', path: '/fields/System.Tags', value: 'critical;HIGH' }]);
    expect(first().fields['System.Tags']).toBe('ai-policy; high; critical');
    await update([{ op: 'replace', path: '/fields/System.Tags', value: 'critical' }]);
    expect(first().fields['System.Tags']).toBe('critical');
  });
});

/** https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/update, "Update a field" with a test of `/rev`. */
describe('concurrent updates', () => {
  beforeEach(() => create());

  it('get 412 if the tested revision is outdated, and the patch changes nothing', async () => {
    const patch = [{ op: 'test', path: '/rev', value: 1 }, ...patchOf({ 'System.Title': 'y' })];
    expect(await update(patch)).toMatchObject({ status: 200, json: { rev: 2 } });
    expect(await update([{ op: 'test', path: '/rev', value: 1 }, ...patchOf({ 'System.Title': 'z' })])).toMatchObject({
      status: 412,
      json: {
        typeKey: 'TestPatchOperationFailedException',
        message: 'VS403351: Test Operation for path /rev failed, value 2 was not equal to test value 1.',
      },
    });
    expect(first().fields['System.Title']).toBe('y');
  });

  it('get 409 and TF26071 if they collide without a test of the revision', async () => {
    azure.conditions.collisions = 1;
    expect(await update(patchOf({ 'System.Title': 'y' }))).toMatchObject({
      status: 409,
      json: { typeKey: 'WorkItemRevisionMismatchException' },
    });
    expect(await update(patchOf({ 'System.Title': 'y' }))).toMatchObject({ status: 200 });
  });
});

/** https://learn.microsoft.com/azure/devops/boards/work-items/workflow-and-state-categories. */
describe('states', () => {
  it.each<[ProcessName, string, string[]]>([
    ['Agile', 'Bug', ['New', 'Active', 'Resolved', 'Closed']],
    ['Basic', 'Issue', ['To Do', 'Doing', 'Done']],
    ['Scrum', 'Bug', ['New', 'Approved', 'Committed', 'Done', 'Removed']],
    ['CMMI', 'Bug', ['Proposed', 'Active', 'Resolved', 'Closed']],
  ])('of the process %s, type %s, are %j and can be set', async (process, type, states) => {
    azure.projects.set('AI Governance', process);
    const { json } = await call(`${PROJECT}/_apis/wit/workitemtypes/${type}/states?api-version=7.1`);
    expect((json as { value: { name: string }[] }).value.map(({ name }) => name)).toEqual(states);
    await create({}, type);
    for (const state of states.slice(1)) {
      expect(await update(patchOf({ 'System.State': state }))).toMatchObject({ status: 200 });
    }
  });

  it('of other processes, and states that a rule excludes, are refused with 400', async () => {
    await create();
    const refused = { status: 400, json: { message: expect.stringContaining("The field 'State' contains the value") } };
    expect(await update(patchOf({ 'System.State': 'Done' }))).toMatchObject(refused);
    azure.conditions.transitions = { New: ['Active'] };
    expect(await update(patchOf({ 'System.State': 'Closed' }))).toMatchObject(refused);
    expect(await update(patchOf({ 'System.State': 'Active' }))).toMatchObject({ status: 200 });
  });
});

/** https://learn.microsoft.com/rest/api/azure/devops/wit/wiql/query-by-wiql; .../boards/queries/wiql-syntax. */
describe('a query', () => {
  beforeEach(async () => {
    await create({ 'System.Tags': 'ai-policy; key-1', 'System.Description': "Ada's prompt" });
    await create({ 'System.Tags': 'ai-policy; key-12' });
  });

  it.each([
    ["[System.Tags] CONTAINS 'key-1'", [297]],
    ["[System.Tags] CONTAINS 'ai-policy' AND [System.TeamProject] = @project", [298, 297]],
    ["[System.Description] CONTAINS 'ada''s'", [297]],
    ["[System.Description] CONTAINS WORDS 'prompt'", [297]],
    ['[System.Id] IN (298, 5)', [298]],
    ["[System.State] <> 'New'", []],
  ])('finds by %s', async (where, ids) => {
    expect(idsOf(await query(where))).toEqual(ids);
  });

  it('answers with ids and addresses only, at most $top of them', async () => {
    const { json } = await query("[System.State] = 'New'", '&$top=1');
    const url = `${azure.base}/_apis/wit/workItems/298`;
    expect(json).toMatchObject({ queryType: 'flat', workItems: [{ id: 298, url }] });
  });

  it('finds no hidden items and does not mention them', async () => {
    first().isHidden = true;
    expect(idsOf(await query("[System.Tags] CONTAINS 'key-1'"))).toEqual([]);
  });

  it.each([
    ["[Custom.Nothing] = 'x'", 'TF51005: The query references a field that does not exist.'],
    ["[System.State] LIKE 'x'", 'TF51004'],
    [`[System.Title] = '${'x'.repeat(32_000)}'`, 'exceeds the maximum allowed length'],
  ])('is refused with 400 for %s', async (where, message) => {
    expect(await query(where)).toMatchObject({ status: 400, json: { message: expect.stringContaining(message) } });
  });

  it('is refused if it uses @project and the address has no project', async () => {
    expect(await query('[System.TeamProject] = @project', '', '')).toMatchObject({ status: 400 });
  });

  it('fails with VS402337 if it finds more than the limit', async () => {
    azure.conditions.queryLimit = 1;
    expect(await query("[System.State] = 'New'")).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining('VS402337') },
    });
  });

  /** https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/list. */
  it('returns ids for a list request, which takes at most 200 ids and fails for a missing one unless told to omit it', async () => {
    const list = (ids: string, more = ''): Promise<VendorAnswer> =>
      call(`/_apis/wit/workitems?ids=${ids}${more}&api-version=7.1`);
    expect(await list('297,298')).toMatchObject({ json: { count: 2, value: [{ id: 297 }, { id: 298 }] } });
    expect(await list('297,9')).toMatchObject({ status: 404 });
    expect(await list('297,9', '&errorPolicy=omit')).toMatchObject({ json: { value: [{ id: 297 }, null] } });
    expect(await list(Array.from({ length: 201 }, () => '297').join())).toMatchObject({ status: 400 });
  });
});

/** https://learn.microsoft.com/azure/devops/integrate/concepts/rate-limits, "API client experience". */
describe('the rate limit', () => {
  it('delays requests with 200, Retry-After and X-RateLimit headers, and executes them', async () => {
    azure.conditions.delayedForS = 12;
    const { status, headers } = await create();
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'retry-after': '12', 'x-ratelimit-remaining': '0', 'x-ratelimit-delay': '1.500' });
  });

  it('blocks requests with 429, TF400733 and Retry-After, and does not execute them', async () => {
    azure.conditions.blockedForS = 60;
    expect(await create()).toMatchObject({
      status: 429,
      json: { message: expect.stringContaining('TF400733') },
      headers: { 'retry-after': '60' },
    });
    expect(azure.items.all).toEqual([]);
  });
});

/** https://learn.microsoft.com/azure/devops/service-hooks/events, "Work item updated". */
it('a service hook request contains the change, the item and a notification id', async () => {
  await create();
  await update(patchOf({ 'System.State': 'Closed' }));
  const changed = { 'System.State': { oldValue: 'New', newValue: 'Closed' } };
  expect(azure.items.serviceHookOf(first(), changed, 7)).toMatchObject({
    ...{ eventType: 'workitem.updated', notificationId: 7 },
    resource: { workItemId: 297, rev: 2, fields: changed, revision: { fields: { 'System.State': 'Closed' } } },
  });
});

describeVendorFaults({
  platform: () => azure,
  create: () => create(),
  count: () => azure.items.all.length,
  success: 200,
});
