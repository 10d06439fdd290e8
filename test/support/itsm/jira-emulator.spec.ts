import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import type { EgressAnswer } from '#egress';
import { describeWhere } from '../describe-where.js';
import { adfDefects } from './adf-defects.js';
import { startJira, type JiraEmulator } from './jira-emulator.js';
import { JiraOpenApi, jiraOpenApiFile } from './jira-openapi.js';
import { jiraProject, TEAM_FIELD } from './jira-project.js';
import { platformAccess } from './platform-access.js';

const DOC = { version: 1, type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'x' }] }] };
const codeBlock = (text: string): object => ({ type: 'codeBlock', content: [{ type: 'text', text }] });
const FIELDS = { project: { key: 'SEC' }, issuetype: { name: 'Bug' }, summary: 'x', description: DOC };

describe('the emulator of Jira', () => {
  const platforms = platformAccess();
  let jira: JiraEmulator;

  beforeEach(async () => {
    jira = await startJira({ authority: platforms.authority, isHeldToApi: false });
  });
  afterEach(async () => jira.close());

  const send = (path: string, json?: object, headers: Record<string, string> = {}): Promise<EgressAnswer> => {
    const account = Buffer.from(`${jira.secrets.email}:${jira.secrets.api_token}`).toString('base64');
    return platforms.egress.send({
      purpose: 'tickets',
      url: `${jira.platform.origin}/rest/api/3${path}`,
      method: json === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${account}`,
        ...(json && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json && { body: Buffer.from(JSON.stringify(json)) }),
    });
  };
  const create = async (fields: object, more: object = {}): Promise<JsonObject> => {
    const { status, body } = await send('/issue', { fields, ...more });
    // The cast is safe, because the emulator answers with objects.
    return { status: status ?? 0, ...(JSON.parse(body.toString()) as JsonObject) };
  };

  it('creates an issue from fields that it accepts', async () => {
    const self = `${jira.platform.origin}/rest/api/3/issue/20001`;
    expect(await create(FIELDS)).toEqual({ status: 201, id: '20001', key: 'SEC-1', self });
  });

  it.each([
    ['a field that is unknown', { ...FIELDS, urgency: '1' }, 'urgency'],
    ['a summary of two lines', { ...FIELDS, summary: 'a\nb' }, 'summary'],
    ['a summary of 256 characters', { ...FIELDS, summary: 'x'.repeat(256) }, 'summary'],
    ['a summary of 128 characters of two UTF-16 units each', { ...FIELDS, summary: '😀'.repeat(128) }, 'summary'],
    ['an empty summary', { ...FIELDS, summary: ' ' }, 'summary'],
    ['no summary', { ...FIELDS, summary: undefined }, 'summary'],
    ['a text as the description', { ...FIELDS, description: 'x' }, 'description'],
    [
      'a description that is too long',
      {
        ...FIELDS,
        description: {
          ...DOC,
          content: [{ type: 'codeBlock', content: [{ type: 'text', text: '"'.repeat(16_384) }] }],
        },
      },
      'description',
    ],
    ['a label with a space', { ...FIELDS, labels: ['a b'] }, 'labels'],
    ['an unknown priority', { ...FIELDS, priority: { name: 'Hoch' } }, 'priority'],
    ['an unknown project', { ...FIELDS, project: { key: 'NOPE' } }, 'project'],
    ['an unknown issue type', { ...FIELDS, issuetype: { name: 'Incident' } }, 'issuetype'],
    ['a sub-task without a parent', { ...FIELDS, issuetype: { name: 'Sub-task' } }, 'parent'],
  ])('refuses %s', async (_what, fields, field) => {
    const answer = await create(fields);
    expect(answer).toMatchObject({ status: 400, errorMessages: [], errors: { [field]: expect.any(String) } });
    expect(jira.issues).toHaveLength(0);
  });

  it('refuses an issue without a required field, and loses its number', async () => {
    jira.have([jiraProject({ more: [TEAM_FIELD] })]);
    expect(await create(FIELDS)).toMatchObject({ status: 400, errors: { customfield_10050: 'Team is required.' } });
    jira.have([jiraProject()]);
    expect(await create(FIELDS)).toMatchObject({ key: 'SEC-2' });
    expect(jira.burntNumbers).toBe(1);
  });

  it('refuses malformed bodies', async () => {
    expect(await create(FIELDS, { correlation_id: 'x' })).toMatchObject({ status: 400 });
    expect(await create(FIELDS, { properties: [{ key: 'x' }] })).toMatchObject({ status: 400 });
    expect(await send('/issue', FIELDS)).toMatchObject({ status: 400 });
  });

  it.each([
    ['summary', { ...FIELDS, summary: '\ud83d…' }],
    ['description', { ...FIELDS, description: { ...DOC, content: [codeBlock('x\ude00')] } }],
    ['labels', { ...FIELDS, labels: ['whole', 'half\ud83d'] }],
  ])('refuses half a surrogate pair in %s', async (where, fields) => {
    const answer = await create(fields);
    expect(answer).toMatchObject({ status: 400, errors: {} });
    expect(answer['errorMessages']).toContainEqual(expect.stringContaining(`body.fields.${where}`));
    expect([jira.issues.length, jira.burntNumbers]).toEqual([0, 0]);
  });

  it('refuses half a surrogate pair in a property, and in a name', async () => {
    for (const value of [{ text: '\udc00' }, { '\ud83d': 1 }]) {
      expect(await create(FIELDS, { properties: [{ key: 'x', value }] })).toMatchObject({ status: 400 });
    }
    const whole = { summary: '😀', labels: ['😀'], description: { ...DOC, content: [codeBlock('😀')] } };
    const properties = [{ key: 'x', value: { '😀': '😀' } }];
    expect(await create({ ...FIELDS, ...whole }, { properties })).toMatchObject({ status: 201 });
  });

  it('requires the account and the media types', async () => {
    const statuses = [
      await send('/issue', { fields: FIELDS }, { authorization: 'Basic eDp5' }),
      await send('/issue', { fields: FIELDS }, { authorization: '' }),
      await send('/issue', { fields: FIELDS }, { 'content-type': 'text/plain' }),
      await send('/issue', { fields: FIELDS }, { accept: 'text/html' }),
      await send('/nothing'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 415, 406, 404]);
  });

  it.each([
    'labels = "x"',
    'labels = "x" OR ORDER BY created DESC',
    ' ORDER BY created DESC',
    'labels = x ORDER BY created DESC',
    'labels = "x" OR 1 = 1 ORDER BY created DESC',
    'labels = "a" labels = "b" ORDER BY created DESC',
  ])('refuses the query %s', async jql => {
    expect(await send('/search/jql', { jql })).toMatchObject({ status: 400 });
  });

  it('returns only the requested fields in a search', async () => {
    await create({ ...FIELDS, labels: ['a'] }, { properties: [{ key: 'p', value: 1 }] });
    const { body } = await send('/search/jql', { jql: 'labels = "a" ORDER BY created DESC', fields: ['labels'] });
    expect(JSON.parse(body.toString())).toMatchObject({ issues: [{ key: 'SEC-1', fields: { labels: ['a'] } }] });
    expect(body.toString()).not.toContain('properties');
  });

  it('misses an issue in the first search for it if configured, whatever other searches come before', async () => {
    await jira.close();
    jira = await startJira({ authority: platforms.authority, isHeldToApi: false, missedSearches: 1 });
    await create({ ...FIELDS, labels: ['a'] });
    const found: unknown[] = [];
    for (const label of ['b', 'a', 'a']) {
      const { body } = await send('/search/jql', { jql: `labels = "${label}" ORDER BY created DESC` });
      found.push(JSON.parse(body.toString()).issues.length);
    }
    expect(found).toEqual([0, 0, 1]);
    expect(jira.issues).toMatchObject([{ missed: 1 }]);
  });
});

const file = jiraOpenApiFile();
describeWhere(file === undefined && 'JIRA_OPENAPI names no file', 'the description of Jira’s API', () => {
  it("reports requests that do not match Atlassian's description", () => {
    const api = new JiraOpenApi(file ?? '');
    const search = { method: 'POST', path: '/rest/api/3/search/jql', status: 400 };
    expect(api.defects({ ...search, body: { jql: 'x', fields: ['labels'] } })).toEqual([]);
    expect(api.defects({ ...search, body: { jql: 'x', startAt: 0 } })).toHaveLength(1);
    expect(api.defects({ method: 'POST', path: '/rest/api/3/nothing', status: 200 })).toHaveLength(1);
    const meta = { method: 'GET', path: '/rest/api/3/issue/createmeta/SEC/issuetypes', status: 404 };
    expect(api.defects(meta)).toEqual([]);
    expect(api.defects({ ...meta, path: `${meta.path}?maxResults=201` })).toHaveLength(1);
    expect(api.defects({ ...meta, path: `${meta.path}?page=2` })).toHaveLength(1);
    const issue = { ...meta, path: '/rest/api/3/issue/SEC-1', status: 200 };
    expect(api.defects({ ...issue, answer: { id: '1', key: 'SEC-1', fields: {} } })).toEqual([]);
    expect(api.defects({ ...issue, answer: { id: 1, key: 'SEC-1', fields: {} } })).toHaveLength(1);
  });
});

describe('adfDefects', () => {
  const text = { type: 'text', text: 'x' };
  const holding = (...content: object[]): JsonObject => ({ version: 1, type: 'doc', content: content as JsonObject[] });
  const marked = (...marks: object[]): object => ({ type: 'paragraph', content: [{ ...text, marks }] });

  it('finds none in a plain document', () => {
    const link = { type: 'link', attrs: { href: 'https://example.com' } };
    const code = marked({ type: 'code' }, link);
    expect(
      adfDefects(holding(marked(link), code, { type: 'codeBlock', attrs: { language: 'json' }, content: [text] })),
    ).toEqual([]);
  });

  it.each([
    ['a text node at the top level', holding(text)],
    ['an empty text', holding({ type: 'paragraph', content: [{ type: 'text', text: '' }] })],
    ['a mark in code', holding({ type: 'codeBlock', content: [{ ...text, marks: [{ type: 'strong' }] }] })],
    ['code with a strong mark', holding(marked({ type: 'code' }, { type: 'strong' }))],
    ['attributes of a mark without attributes', holding(marked({ type: 'strong', attrs: {} }))],
    ['a link without a target', holding(marked({ type: 'link' }))],
    ['an unknown node', holding({ type: 'blink' })],
    ['an unknown attribute', holding({ type: 'codeBlock', attrs: { lang: 'json' } })],
    ['an unknown key', holding({ type: 'paragraph', text: 'x' })],
    ['another version', { ...holding(), version: 2 }],
    ['no content', { version: 1, type: 'doc' }],
  ])('finds %s', (_what, doc) => {
    expect(adfDefects(doc)).not.toEqual([]);
  });
});
