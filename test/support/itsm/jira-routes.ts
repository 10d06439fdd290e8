import type { Json, JsonObject } from '#core';
import { liveOn } from '../../emulators/jira/life.js';
import type { JiraIssues } from './jira-issues.js';
import type { JiraField, JiraProject } from './jira-project.js';

/** An operation that a test can disturb. */
export type JiraOperation = 'create' | 'search' | 'createmeta' | 'permissions' | 'issue' | 'change';

/** A request that passed authentication. */
export interface JiraCall {
  /** Whether the account sent the request. If not, the request is anonymous. Jira also answers anonymous requests. */
  readonly isKnown: boolean;
  /** The segments of the path, still percent-encoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body?: Json;
}

export interface JiraAnswer {
  readonly status: number;
  readonly json?: Json;
}

export interface JiraRoute {
  readonly operation: JiraOperation;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path after `/rest/api/3`. */
  readonly path: RegExp;
  answer(call: JiraCall): JiraAnswer;
}

/** The context of the routes. */
export interface JiraSite {
  readonly issues: JiraIssues;
  readonly pageSize: number;
  projects(): readonly JiraProject[];
}

/** All operations of the emulated API. */
export function jiraRoutes(site: JiraSite): JiraRoute[] {
  const { issues } = site;
  const projectOf = ({ isKnown, parts }: JiraCall): JiraProject | undefined =>
    site.projects().find(({ id, key }) => isKnown && [id, key].includes(decodeURIComponent(parts[0] ?? '')));
  return [
    {
      operation: 'create',
      method: 'POST',
      path: /^\/issue$/,
      answer: ({ isKnown, body }) => {
        if (!isKnown)
          return refused(400, [], { project: 'You do not have permission to create issues in this project.' });
        const outcome = issues.create(body);
        if ('created' in outcome) return { status: 201, json: outcome.created };
        return refused(400, outcome.refused.errorMessages, outcome.refused.errors);
      },
    },
    {
      operation: 'search',
      method: 'POST',
      path: /^\/search\/jql$/,
      answer: ({ isKnown, body }) => search(issues, isKnown, body),
    },
    {
      operation: 'createmeta',
      method: 'GET',
      path: /^\/issue\/createmeta\/([^/]+)\/issuetypes$/,
      answer: call => {
        if (!call.isKnown) return page(site, call, 'issueTypes', []);
        const project = projectOf(call);
        if (!project) return refused(404, ['No project could be found with key or id.']);
        // If the account may not create issues, it sees no issue types.
        const types = project.mayCreate ? project.issueTypes : [];
        const shown = types.map(({ id, name, subtask }) => ({ id, name, subtask, description: '', hierarchyLevel: 0 }));
        return page(site, call, 'issueTypes', shown);
      },
    },
    {
      operation: 'createmeta',
      method: 'GET',
      path: /^\/issue\/createmeta\/([^/]+)\/issuetypes\/([^/]+)$/,
      answer: call => {
        const type = projectOf(call)?.issueTypes.find(({ id }) => id === call.parts[1]);
        if (!type) return refused(404, ['No issue type could be found.']);
        return page(site, call, 'fields', type.fields.map(shownField));
      },
    },
    {
      operation: 'permissions',
      method: 'GET',
      path: /^\/mypermissions$/,
      answer: call => {
        const wanted = call.query.get('permissions')?.split(',') ?? [];
        if (!wanted.every(name => PERMISSIONS.has(name)) || wanted.length === 0) {
          return refused(400, ['permissions is required, and names permissions']);
        }
        const project = projectOf({ ...call, parts: [call.query.get('projectKey') ?? ''] });
        if (call.isKnown && !project) return refused(404, ['No project could be found.']);
        const has = (name: string): boolean => project !== undefined && (name !== 'CREATE_ISSUES' || project.mayCreate);
        const permissions = wanted.map(key => [
          key,
          { id: '11', key, name: key, type: 'PROJECT', havePermission: has(key) },
        ]);
        // The cast is safe, because each entry is a name and a JSON value.
        return { status: 200, json: { permissions: Object.fromEntries(permissions) as JsonObject } };
      },
    },
    {
      operation: 'issue',
      method: 'GET',
      path: /^\/issue\/([^/]+)$/,
      answer: ({ isKnown, parts, query }) => {
        const issue = isKnown ? issues.find(decodeURIComponent(parts[0] ?? '')) : undefined;
        if (!issue) return refused(404, ['Issue does not exist or you do not have permission to see it.']);
        return { status: 200, json: issues.show(issue, query.get('fields')?.split(',') ?? []) };
      },
    },
    ...CHANGES.map(([method, path]): JiraRoute => {
      const answer: JiraRoute['answer'] = ({ isKnown, parts, body }) =>
        changed(site, { isKnown, method, parts, json: body });
      return { operation: 'change', method, path, answer };
    }),
  ];
}

const CHANGES = [
  ['PUT', /^\/issue\/([^/]+)()$/],
  ['GET', /^\/issue\/([^/]+)(\/comment|\/transitions|\/editmeta)$/],
  ['POST', /^\/issue\/([^/]+)(\/comment|\/transitions)$/],
] as const;

function changed(
  site: JiraSite,
  call: { isKnown: boolean; method: string; parts: readonly string[]; json: Json | undefined },
): JiraAnswer {
  const issue = call.isKnown ? site.issues.find(decodeURIComponent(call.parts[0] ?? '')) : undefined;
  if (!issue) return refused(404, ['Issue does not exist or you do not have permission to see it.']);
  const fields = site.projects().flatMap(({ issueTypes }) => issueTypes.flatMap(type => type.fields));
  const priorities = fields.find(({ fieldId }) => fieldId === 'priority')?.allowedValues ?? [];
  const life = {
    now: () => new Date(),
    shown: (name: string) => name,
    priorities: () => priorities,
    prioritize: (id: string): boolean => {
      const priority = priorities.find(each => each.id === id);
      if (priority) issue.sent.fields['priority'] = { ...priority };
      return priority !== undefined;
    },
  };
  const { method, json, parts } = call;
  const { status, json: answer } = liveOn({ method, rest: parts[1] ?? '', json }, issue, life) ?? { status: 405 };
  return { status, ...(answer !== undefined && { json: answer }) };
}

const PERMISSIONS = new Set(['BROWSE_PROJECTS', 'CREATE_ISSUES', 'EDIT_ISSUES', 'ADD_COMMENTS', 'TRANSITION_ISSUES']);

function shownField({ fieldId, name, type, required, hasDefaultValue, allowedValues }: JiraField): JsonObject {
  const shown: JsonObject = {
    fieldId,
    key: fieldId,
    name,
    required: required ?? false,
    hasDefaultValue: hasDefaultValue ?? false,
    operations: ['set'],
    schema: fieldId.startsWith('customfield_') ? { type, customId: 10_050 } : { type, system: fieldId },
  };
  if (allowedValues) shown['allowedValues'] = allowedValues.map(({ id, name }) => ({ id, name }));
  return shown;
}

/** A refusal in Jira's error format. */
export function refused(status: number, errorMessages: string[], errors: Record<string, string> = {}): JiraAnswer {
  return { status, json: { errorMessages, errors } };
}

function search(issues: JiraIssues, isKnown: boolean, body: Json | undefined): JiraAnswer {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || typeof body['jql'] !== 'string') {
    return refused(400, ['Invalid request payload. Refer to the REST API documentation and try again.']);
  }
  const { jql, fields, properties, maxResults, nextPageToken, ...unknown } = body;
  if (Object.keys(unknown).length > 0) return refused(400, [`Unknown: ${Object.keys(unknown).join(', ')}`]);
  try {
    const from = typeof nextPageToken === 'string' ? Number(nextPageToken) : 0;
    if (!Number.isInteger(from)) return refused(400, ['The provided next page token is invalid.']);
    const end = from + Math.min(typeof maxResults === 'number' ? maxResults : 50, issues.searchPage);
    const found = issues.search(jql);
    const shown = found.slice(from, end).map(issue => issues.show(issue, textsOf(fields), textsOf(properties)));
    const isLast = !isKnown || end >= found.length;
    const json = { issues: isKnown ? shown : [], isLast };
    return { status: 200, json: isLast ? json : { ...json, nextPageToken: String(end) } };
  } catch (error) {
    return refused(400, [String(error)]);
  }
}

function page({ pageSize }: JiraSite, { query }: JiraCall, list: string, all: readonly JsonObject[]): JiraAnswer {
  const [startAt, most] = ['startAt', 'maxResults'].map(name => Number(query.get(name) ?? NaN));
  const from = Number.isInteger(startAt) ? (startAt ?? 0) : 0;
  const asked = Number.isInteger(most) ? (most ?? 50) : 50;
  if (asked > 200) return refused(400, ["Parameter 'maxResults' must not exceed the limit '200'"]);
  const maxResults = Math.min(asked, pageSize);
  const shown = all.slice(from, from + maxResults);
  return { status: 200, json: { [list]: shown, startAt: from, maxResults, total: all.length } };
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter(entry => typeof entry === 'string') : [];
}
