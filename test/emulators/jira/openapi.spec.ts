import { expect, it } from '@jest/globals';
import { describeWhere } from '../../support/describe-where.js';
import { JiraOpenApi, jiraOpenApiFile } from './openapi.js';

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
