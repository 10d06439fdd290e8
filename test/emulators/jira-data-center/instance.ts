import { createHmac, randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject, asText } from '#itsm';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { refused } from '../jira/conditions.js';
import { Issues, showIssue, type Issue } from '../jira/issues.js';
import { transit } from '../jira/life.js';
import { fieldProject, shownScreen, type Project } from '../jira/project.js';
import { withFaults, type FaultyPlatform } from '../vendor-faults.js';
import * as words from './conditions.js';
import { createIssue, fieldErrors, named, TEXT_MAX, TOO_LONG } from './create.js';
import { searchIssues } from './search.js';

/** An instance of Jira Data Center with one project and one account, under a context path. */
export interface DataCenter extends PlatformEndpoint, FaultyPlatform {
  /** `https://host:port/jira` */
  readonly base: string;
  readonly account: { readonly name: string; readonly password: string; readonly token: string };
  readonly project: Project;
  readonly issues: Issues;
  /** Comments by the id of their issue, oldest first. */
  readonly comments: ReadonlyMap<string, JsonObject[]>;
  readonly conditions: words.DataCenterConditions;
  /**
   * The webhook request for an issue. A retry has the same identifier. With a secret it is signed, as since version
   * 10.0 (https://confluence.atlassian.com/adminjiraserver/managing-webhooks-938846912.html).
   */
  webhookOf(issue: Issue, identifier?: string, secret?: string): { body: string; headers: Record<string, string> };
}

const CONTEXT = '/jira';
const ACCOUNT = { name: 'svc-governance', password: 'Correct-Horse:9', token: 'OTU2NjQ4MjkxMzI2OkV4YW1wbGVUb2tlbg' };
const PERSON: JsonObject = { name: ACCOUNT.name, key: 'JIRAUSER10100', displayName: 'AI Governance', active: true };

const TRANSITIONS = [
  { id: '11', name: 'To Do', to: { name: 'To Do', category: 'new' } },
  { id: '21', name: 'Start', to: { name: 'In Progress', category: 'indeterminate' } },
  { id: '31', name: 'Finish', to: { name: 'Done', category: 'done' } },
] as const;

/**
 * Emulates the REST API of Jira Data Center, version 2 (https://developer.atlassian.com/server/jira/platform/rest/). It
 * has no version 3, no document format and no `search/jql`.
 */
export async function startDataCenter(options: Omit<EndpointOptions, 'behaviour'>): Promise<DataCenter> {
  const conditions = words.plainInstance();
  const issues = new Issues();
  const project = fieldProject({ types: fieldProject().types.filter(({ subtask }) => !subtask) });
  const comments = new Map<string, JsonObject[]>();

  /** Every answer names the caller in `X-AUSERNAME`; without a login it is `anonymous`. */
  const perform = (request: PlatformRequest): PlatformAnswer => {
    const disturbed = words.disturbance(conditions);
    if (disturbed) return disturbed;
    const who = login(request.headers.authorization, conditions);
    if (typeof who !== 'string') return who;
    const answer = isForged(request) ? words.XSRF_FAILED : route(request, who !== 'anonymous');
    return { ...answer, headers: { ...answer.headers, 'x-ausername': who } };
  };

  const route = (request: PlatformRequest, isKnown: boolean): PlatformAnswer => {
    const { method, url, headers, json } = request;
    const path = /^\/jira\/rest\/api\/(?:2|latest)(\/.*)$/.exec(url.pathname)?.[1];
    if (path === undefined) return NO_PAGE;
    if (path === '/serverInfo') return SERVER_INFO;
    const isSearch = path === '/search';
    if (isSearch && method === 'GET')
      return searchIssues(fromQuery(url), isKnown && conditions.isMember, issues, conditions);
    if (!isKnown) return STRANGER;
    if (method !== 'GET' && !(headers['content-type'] ?? '').startsWith('application/json')) return NOT_JSON;
    if (isSearch) return searchIssues(asObject(json) ?? {}, conditions.isMember, issues, conditions);
    if (path === '/myself') return { status: 200, json: PERSON };
    if (path === '/mypermissions') return permissions(url);
    if (path === '/issue' && method === 'POST') {
      return conditions.isMember ? createIssue(json, project, issues, base) : NO_PROJECT;
    }
    const meta = /^\/issue\/createmeta\/([^/]+)\/issuetypes(?:\/([^/]+))?$/.exec(path);
    if (meta) return createMeta(decodeURIComponent(meta[1] ?? ''), meta[2]);
    const [, id, rest = ''] = /^\/issue\/([^/]+)(\/comment|\/transitions|\/editmeta)?$/.exec(path) ?? [];
    // Jira 9 removed `/issue/createmeta` without a project.
    return id === undefined ? NO_PAGE : onIssue(request, decodeURIComponent(id), rest);
  };

  const onIssue = ({ method, url, json }: PlatformRequest, id: string, rest: string): PlatformAnswer => {
    const issue = conditions.isMember ? issues.find(id) : undefined;
    if (!issue) return refused(404, ['Issue Does Not Exist']);
    const fields = url.searchParams.get('fields')?.split(',') ?? [];
    switch (`${method} ${rest}`) {
      case 'GET ':
        return { status: 200, json: showIssue(issue, 'en', fields) };
      case 'PUT ':
        return edit(issue, asObject(asObject(json)?.['fields']) ?? {});
      case 'POST /comment':
        return comment(issue, asObject(json)?.['body']);
      case 'GET /comment': {
        const all = comments.get(issue.id) ?? [];
        return { status: 200, json: { startAt: 0, maxResults: 1_048_576, total: all.length, comments: all } };
      }
      // https://developer.atlassian.com/server/jira/platform/rest/, "Get edit issue meta".
      case 'GET /editmeta': {
        const screen = shownScreen(project, name => name).map(field => [asText(field['fieldId']), field]);
        return { status: 200, json: { fields: Object.fromEntries(screen) as JsonObject } };
      }
      case 'GET /transitions': {
        const transitions = TRANSITIONS.map(({ id: transitionId, name, to }): Json => {
          return { id: transitionId, name, to: { name: to.name, statusCategory: { key: to.category } } };
        });
        return { status: 200, json: { expand: 'transitions', transitions } };
      }
      case 'POST /transitions': {
        const wanted = asObject(asObject(json)?.['transition'])?.['id'];
        const chosen = TRANSITIONS.find(each => each.id === wanted);
        if (!chosen)
          return refused(400, [
            'It seems that you have tried to perform a workflow operation that is not valid for the current state of this issue.',
          ]);
        transit(issue, chosen.to, null, issues.now());
        return { status: 204 };
      }
      default:
        return { status: 405 };
    }
  };

  const edit = (issue: Issue, changes: JsonObject): PlatformAnswer => {
    const priority = named(changes['priority'], project.priorities);
    const errors = fieldErrors({ ...issue.fields, ...changes }, project, priority ?? issue.priority);
    if ('priority' in changes && !priority) errors['priority'] = 'The priority selected is invalid.';
    if (Object.keys(errors).length > 0) return refused(400, [], errors);
    Object.assign(issue.fields, changes);
    issue.priority = priority ?? issue.priority;
    issue.updatedAt = issues.now();
    return { status: 204 };
  };

  const comment = (issue: Issue, body: Json | undefined): PlatformAnswer => {
    if (typeof body !== 'string') return refused(400, ['Can not deserialize instance of java.lang.String']);
    if (body.trim() === '') return refused(400, [], { comment: 'Comment body can not be empty!' });
    if (body.length > TEXT_MAX) return refused(400, [], { comment: TOO_LONG });
    const all = comments.get(issue.id) ?? [];
    const entry = { id: String(30_000 + all.length), author: PERSON, body, created: issues.now().toISOString() };
    comments.set(issue.id, [...all, entry]);
    issue.updatedAt = issues.now();
    return { status: 201, json: entry };
  };

  const createMeta = (reference: string, type: string | undefined): PlatformAnswer => {
    if (!conditions.isMember || ![project.id, project.key].includes(reference)) return NO_PROJECT;
    if (type !== undefined && !project.types.some(({ id }) => id === type))
      return refused(404, ['Issue type not found.']);
    const values: Json[] =
      type === undefined
        ? project.types.map(({ id, name }) => ({ id, name, subtask: false }))
        : shownScreen(project, name => name);
    return { status: 200, json: { maxResults: 50, startAt: 0, total: values.length, isLast: true, values } };
  };

  const permissions = ({ searchParams }: URL): PlatformAnswer => {
    if (searchParams.get('projectKey') !== project.key || !conditions.isMember) return NO_PROJECT;
    const names = ['BROWSE_PROJECTS', 'CREATE_ISSUES', 'ADD_COMMENTS', 'TRANSITION_ISSUES', 'EDIT_ISSUES'];
    const all = Object.fromEntries(names.map((key, at) => [key, { id: String(at), key, havePermission: true }]));
    return { status: 200, json: { permissions: all } };
  };

  const platform = await startPlatform(options, perform);
  const base = platform.origin + CONTEXT;
  const instance = Object.assign(platform, {
    ...{ base, account: ACCOUNT, project, issues, comments, conditions },
    webhookOf: (issue: Issue, identifier: string = randomUUID(), secret?: string) => {
      const body = JSON.stringify({
        ...{ timestamp: issue.updatedAt.getTime(), webhookEvent: 'jira:issue_updated', user: PERSON },
        issue: showIssue(issue, 'en', []),
      });
      const hmac = secret === undefined ? undefined : createHmac('sha256', secret).update(body).digest('hex');
      return {
        body,
        headers: {
          ...{ 'content-type': 'application/json; charset=UTF-8', 'x-atlassian-webhook-identifier': identifier },
          ...(hmac !== undefined && { 'x-hub-signature': `sha256=${hmac}` }),
        },
      };
    },
  });
  return withFaults(instance, { throttled: words.throttled(30), failed: refused(500, ['Internal server error']) });
}

/**
 * The caller: by a personal access token as Bearer, or by name and password
 * (https://confluence.atlassian.com/enterprise/using-personal-access-tokens-1026032365.html). Anonymous without a
 * header. Wrong credentials are an error, even where anonymous reads are allowed.
 */
function login(
  authorization: string | undefined,
  { needsCaptcha }: words.DataCenterConditions,
): string | PlatformAnswer {
  if (authorization === undefined) return 'anonymous';
  if (authorization === `Bearer ${ACCOUNT.token}`) return ACCOUNT.name;
  const basic = Buffer.from(`${ACCOUNT.name}:${ACCOUNT.password}`).toString('base64');
  if (authorization.startsWith('Basic ') && needsCaptcha) return words.LOGIN_DENIED;
  return authorization === `Basic ${basic}` ? ACCOUNT.name : words.LOGIN_FAILED;
}

/**
 * Whether a write may come from another site through a user's browser. The header `X-Atlassian-Token: no-check` rules
 * this out.
 */
function isForged({ method, headers }: PlatformRequest): boolean {
  const isBrowser = (headers['user-agent'] ?? '').startsWith('Mozilla/');
  return method !== 'GET' && isBrowser && headers['x-atlassian-token'] !== 'no-check';
}

function fromQuery({ searchParams }: URL): JsonObject {
  const given = Object.fromEntries(searchParams);
  return { ...given, fields: searchParams.get('fields')?.split(',') ?? null };
}

const STRANGER = refused(401, ['You are not authenticated. Authentication required to perform this operation.']);
const NO_PROJECT = refused(400, [], { project: 'project is required' });
const NO_PAGE: PlatformAnswer = {
  status: 404,
  text: '<html><head><title>Oops, you&#39;ve found a dead link.</title></head></html>',
};
const NOT_JSON: PlatformAnswer = {
  status: 415,
  text: '<html><head><title>Unsupported Media Type</title></head></html>',
};
const SERVER_INFO: PlatformAnswer = {
  status: 200,
  json: { version: '10.3.0', versionNumbers: [10, 3, 0], deploymentType: 'Server', serverTitle: 'Acme' },
};
