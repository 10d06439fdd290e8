import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { late, type FaultName } from '../../support/itsm/platform-faults.js';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { answers, nth } from '../disturbances.js';
import { ask, type VendorAnswer } from '../vendor-client.js';
import { FAILED, throttled } from './conditions.js';
import { fieldProject, TEAM_FIELD } from './project.js';
import { startSite, type Site } from './site.js';

const codeBlock = (text: string): JsonObject => ({ type: 'codeBlock', content: [{ type: 'text', text }] });
const docOf = (...content: JsonObject[]): JsonObject => ({ version: 1, type: 'doc', content });
const FIELDS = {
  project: { key: 'SEC' },
  issuetype: { name: 'Bug' },
  summary: 'x',
  description: docOf(codeBlock('x')),
};
/** JSON around the text of a document with one code block. */
const AROUND = JSON.stringify(docOf(codeBlock(''))).length;

const platforms = platformAccess();
let site: Site;
beforeEach(async () => {
  site = await startSite({ authority: platforms.authority, isStrict: false });
});
afterEach(() => site.close());

function send(path: string, json?: unknown, headers: Record<string, string> = {}): Promise<VendorAnswer> {
  const basic = Buffer.from(`${site.account.email}:${site.account.api_token}`).toString('base64');
  const request = { headers: { authorization: `Basic ${basic}`, ...headers }, ...(json !== undefined && { json }) };
  return ask(platforms.egress, `${site.origin}/rest/api/3${path}`, request);
}

const create = (fields: object, more: object = {}): Promise<VendorAnswer> => send('/issue', { fields, ...more });

/** The keys of the issues with a label. */
async function search(label: string, more: object = {}): Promise<string[]> {
  const { json } = await send('/search/jql', { jql: `labels = "${label}" ORDER BY created DESC`, ...more });
  return (json as unknown as { issues: { key: string }[] }).issues.map(({ key }) => key);
}

describe('a create', () => {
  it('with valid fields creates an issue', async () => {
    const self = `${site.origin}/rest/api/3/issue/20001`;
    expect(await create(FIELDS)).toMatchObject({ status: 201, json: { id: '20001', key: 'SEC-1', self } });
  });

  const NOT_ON_SCREEN = "Field 'urgency' cannot be set. It is not on the appropriate screen, or unknown.";
  const NO_DOCUMENT = 'Operation value must be an Atlassian Document (see the Atlassian Document Format)';
  const TOO_LONG = 'The entered text is too long. It exceeds the allowed limit of 32,767 characters.';
  const NEWLINE = 'The summary is invalid because it contains newline characters.';
  const LONG_SUMMARY = "Summary can't exceed 255 characters.";

  it.each([
    ['a field that is unknown', { urgency: '1' }, 'urgency', NOT_ON_SCREEN],
    ['a summary of two lines', { summary: 'a\nb' }, 'summary', NEWLINE],
    ['a summary with a carriage return', { summary: 'a\rb' }, 'summary', NEWLINE],
    ['a summary of 256 characters', { summary: 'x'.repeat(256) }, 'summary', LONG_SUMMARY],
    ['a summary of 128 characters of two UTF-16 units', { summary: '😀'.repeat(128) }, 'summary', LONG_SUMMARY],
    ['an empty summary', { summary: ' ' }, 'summary', 'You must specify a summary of the issue.'],
    ['no summary', { summary: undefined }, 'summary', 'Summary is required.'],
    ['a text as the description', { description: 'x' }, 'description', NO_DOCUMENT],
    ['a document of version 2', { description: { ...docOf(), version: 2 } }, 'description', NO_DOCUMENT],
    ['a description that is too long', tooLong(1), 'description', TOO_LONG],
    ['a label with a space', { labels: ['a b'] }, 'labels', "The label 'a b' contains spaces which is invalid."],
    ['an unknown priority', { priority: { name: 'Hoch' } }, 'priority', 'The priority selected is invalid.'],
    ['an unknown project', { project: { key: 'NOPE' } }, 'project', 'valid project is required'],
    ['an unknown issue type', { issuetype: { name: 'Incident' } }, 'issuetype', 'Specify a valid issue type'],
    ['a sub-task without a parent', { issuetype: { id: '10003' } }, 'parent', expect.stringContaining('sub-task')],
  ])('with %s is refused', async (_what, fields, field, message) => {
    const { status, json } = await create({ ...FIELDS, ...fields });
    expect({ status, json }).toEqual({ status: 400, json: { errorMessages: [], errors: { [field]: message } } });
    expect(site.issues.all).toEqual([]);
  });

  function tooLong(by: number): { description: JsonObject } {
    return { description: docOf(codeBlock('x'.repeat(32_767 - AROUND + by))) };
  }

  it('with a summary and a description of the maximum length creates an issue', async () => {
    expect(await create({ ...FIELDS, ...tooLong(0), summary: 'x'.repeat(255) })).toMatchObject({ status: 201 });
  });

  it('with a node that documents do not have is refused as a whole', async () => {
    const { status, json } = await create({ ...FIELDS, description: docOf({ type: 'blink' }) });
    expect(status).toBe(400);
    expect(json).toMatchObject({ errorMessages: [expect.stringContaining('unsupported content'), expect.anything()] });
  });

  it('without a required field is refused, and uses up an issue number', async () => {
    site.have(fieldProject({ more: TEAM_FIELD }));
    const errors = { customfield_10050: 'Team is required.' };
    expect(await create(FIELDS)).toMatchObject({ status: 400, json: { errors } });
    site.have(fieldProject());
    expect(await create(FIELDS)).toMatchObject({ json: { key: 'SEC-2' } });
    expect(site.issues.burntNumbers).toBe(1);
  });

  it('in a project in which the account may not create issues is refused', async () => {
    site.have(fieldProject({ mayCreate: false }));
    expect(await create(FIELDS)).toMatchObject({ status: 400, json: { errors: { project: expect.anything() } } });
    expect((await send('/issue/createmeta/SEC/issuetypes')).json).toMatchObject({ issueTypes: [], total: 0 });
  });

  it('with an invalid property is refused', async () => {
    expect(await create(FIELDS, { properties: [{ key: 'x' }] })).toMatchObject({ status: 400 });
    const value = 'x'.repeat(32_768);
    expect(await create(FIELDS, { properties: [{ key: 'x', value }] })).toMatchObject({ status: 400 });
    expect(await create(FIELDS, { properties: [{ key: 'x', value: value.slice(2) }] })).toMatchObject({ status: 201 });
  });

  it.each([
    ['summary', { summary: '\ud83d…' }],
    ['description', { description: docOf(codeBlock('x\ude00')) }],
    ['labels', { labels: ['whole', 'half\ud83d'] }],
  ])('with half a surrogate pair in %s is refused', async (where, fields) => {
    const { status, json } = await create({ ...FIELDS, ...fields });
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain(`body.fields.${where}`);
    expect([site.issues.all.length, site.issues.burntNumbers]).toEqual([0, 0]);
  });

  it('with an unknown part beside the fields creates the issue, and the closed strict site complains', async () => {
    expect(await create(FIELDS, { correlation_id: 'x' })).toMatchObject({ status: 201 });
    expect(site.complaints).toEqual(['A create ignores correlation_id.']);
    await site.close();
    site = await startSite({ authority: platforms.authority });
    await create(FIELDS, { correlation_id: 'x' });
    await expect(site.close()).rejects.toThrow('A create ignores correlation_id.');
    site = await startSite({ authority: platforms.authority });
  });
});

describe('a comment', () => {
  it('is a document of up to 32,767 characters', async () => {
    await create(FIELDS);
    const comment = (body: unknown): Promise<VendorAnswer> => send('/issue/SEC-1/comment', { body });
    expect(await comment('x')).toMatchObject({ status: 400, json: { errors: { comment: expect.anything() } } });
    expect(await comment(docOf(codeBlock('x'.repeat(32_767))))).toMatchObject({ status: 400 });
    expect(await comment(docOf(codeBlock('x')))).toMatchObject({ status: 201 });
    expect(site.issues.all[0]?.comments).toHaveLength(1);
  });
});

describe('a request', () => {
  it('needs the account and the media types', async () => {
    const statuses = [
      await send('/issue', { fields: FIELDS }, { authorization: 'Basic eDp5' }),
      await send('/issue', { fields: FIELDS }, { authorization: '' }),
      await send('/issue', { fields: FIELDS }, { 'content-type': 'text/plain' }),
      await send('/issue', { fields: FIELDS }, { accept: 'text/html' }),
      await send('/nothing'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 415, 406, 404]);
  });

  it('with a wrong token is answered as anonymous by some sites, with a header that says so', async () => {
    site.conditions.wrongToken = 'is anonymous';
    const jql = 'labels = "a" ORDER BY created DESC';
    const { status, json, headers } = await send('/search/jql', { jql }, { authorization: 'Basic eDp5' });
    expect({ status, json }).toMatchObject({ status: 200, json: { issues: [], isLast: true } });
    expect(headers).toMatchObject({ 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' });
  });
});

describe('a search', () => {
  it.each([
    'labels = "x" OR ORDER BY created DESC',
    ' ORDER BY created DESC',
    'labels = "x" OR 1 = 1 ORDER BY created DESC',
    'labels = "a" labels = "b" ORDER BY created DESC',
  ])('with the query %s is refused', async jql => {
    expect(await send('/search/jql', { jql })).toMatchObject({ status: 400 });
  });

  it('with the parameters of the removed search is refused', async () => {
    expect(await send('/search/jql', { jql: 'labels = "x"', startAt: 0 })).toMatchObject({ status: 400 });
  });

  it('returns only the requested fields', async () => {
    await create({ ...FIELDS, labels: ['a'] }, { properties: [{ key: 'p', value: 1 }] });
    const { json, text } = await send('/search/jql', { jql: 'labels = "a"', fields: ['labels'] });
    expect(json).toMatchObject({ issues: [{ key: 'SEC-1', fields: { labels: ['a'] } }] });
    expect(text).not.toContain('properties');
  });

  it('for words in the description finds no issue that has them only in the summary', async () => {
    await create({ ...FIELDS, summary: 'alpha', description: docOf(codeBlock('beta')) });
    for (const [word, found] of [
      ['alpha', 0],
      ['beta', 1],
    ] as const) {
      const { json } = await send('/search/jql', { jql: `description ~ "${word}"` });
      expect(json).toMatchObject({ issues: { length: found } });
    }
  });

  it('finds an issue only after the lag of the index, unless the request reconciles the issue', async () => {
    let now = new Date('2026-11-20T10:00:00Z');
    site.issues.now = () => now;
    site.conditions.indexLagMs = 5_000;
    await create({ ...FIELDS, labels: ['a'] });
    now = new Date('2026-11-20T10:00:04.999Z');
    expect(await search('a')).toEqual([]);
    expect(await search('a', { reconcileIssues: [20_001] })).toEqual(['SEC-1']);
    now = new Date('2026-11-20T10:00:05Z');
    expect(await search('a')).toEqual(['SEC-1']);
  });

  it('misses an issue in as many first searches for it as configured', async () => {
    site.conditions.missedSearches = 1;
    await create({ ...FIELDS, labels: ['a'] });
    expect([await search('b'), await search('a'), await search('a')]).toEqual([[], [], ['SEC-1']]);
    expect(site.issues.all).toMatchObject([{ missed: 1 }]);
  });
});

describe('a fault', () => {
  it.each<[FaultName | 'late', number | undefined, issues: number]>([
    ['lost answer', undefined, 3],
    ['late', 201, 3],
  ])('“%s” of the second create disturbs no other request', async (name, status, issues) => {
    site.meets('create', nth({ 2: name === 'late' ? late(50) : name }));
    const seen: (number | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) {
      seen.push((await create(FIELDS)).status);
      await search('a');
    }
    expect([seen, site.issues.all.length]).toEqual([[201, status, 201], issues]);
    expect([site.requestsOf('create').length, site.requestsOf('search').length]).toEqual([3, 3]);
  });

  it('of the quota or of the site comes at the chosen request, and nothing is created', async () => {
    site.meets('create', nth({ 1: answers(throttled(7)), 3: answers(FAILED) }));
    expect(await create(FIELDS)).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(await create(FIELDS)).toMatchObject({ status: 201 });
    expect(await create(FIELDS)).toMatchObject({ status: 500 });
    expect(site.issues.all).toHaveLength(1);
    site.meets('create', answers(FAILED));
    site.recovers();
    expect(await create(FIELDS)).toMatchObject({ status: 201 });
  });
});
