import { createHmac, randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { disturbance, plainSite, refused, SCOPE_MISMATCH, type SiteConditions } from './conditions.js';
import { createIssue } from './create.js';
import { Issues, showIssue, type Issue } from './issues.js';
import { liveOn } from './life.js';
import { languageOf, shownName } from './names.js';
import { fieldProject, shownScreen, type Project } from './project.js';
import { searchIssues } from './search.js';

/** A Jira Cloud site with one account. A test may change its conditions. */
export interface Site extends PlatformEndpoint {
  readonly account: { readonly email: string; readonly api_token: string };
  /** `https://…/ex/jira/{cloudId}`, where tokens with scopes work. */
  readonly gateway: string;
  readonly projects: Project[];
  readonly issues: Issues;
  readonly conditions: SiteConditions;
  /** The site's webhook request for an issue. With a secret it is signed. */
  webhookOf(issue: Issue, secret?: string): { body: string; headers: Record<string, string> };
}

const ACCOUNT = { email: 'tickets@acme.test', api_token: 'ATATT3xFfGF0-a-token-of-this-test' };
const GATEWAY = '/ex/jira/11111111-2222-3333-4444-555555555555';

/** The context of a route. */
export interface Call {
  readonly isKnown: boolean;
  readonly request: PlatformRequest;
  readonly parts: readonly string[];
  readonly shown: (name: string) => string;
}

/** Emulates the REST API of Jira Cloud, version 3 (https://developer.atlassian.com/cloud/jira/platform/rest/v3). */
export async function startSite(options: Omit<EndpointOptions, 'behaviour'>): Promise<Site> {
  const [conditions, issues] = [plainSite(), new Issues()];
  const projects: Project[] = [fieldProject()];
  const visible = ({ isKnown }: Call, idOrKey: string): Project | undefined =>
    isKnown ? projects.find(({ id, key }) => [id, key].includes(idOrKey)) : undefined;

  const routes: [string, RegExp, scope: string, (call: Call) => PlatformAnswer][] = [
    ['POST', /^\/issue$/, 'write:jira-work', call => createIssue(call, projects, issues)],
    ['POST', /^\/search\/jql$/, 'read:jira-work', call => searchIssues(call, issues, conditions)],
    ['GET', /^\/search\/jql$/, 'read:jira-work', call => searchIssues(call, issues, conditions)],
    ['GET', /^\/issue\/([^/]+)$/, 'read:jira-work', call => showOne(call)],
    ['PUT', /^\/issue\/([^/]+)()$/, 'write:jira-work', call => change(call)],
    ['GET', /^\/issue\/([^/]+)(\/comment|\/transitions|\/editmeta)$/, 'read:jira-work', call => change(call)],
    ['POST', /^\/issue\/([^/]+)(\/comment|\/transitions)$/, 'write:jira-work', call => change(call)],
    ['GET', /^\/issue\/createmeta\/([^/]+)\/issuetypes$/, 'read:jira-work', call => typesOf(call)],
    ['GET', /^\/issue\/createmeta\/([^/]+)\/issuetypes\/([^/]+)$/, 'read:jira-work', call => fieldsOf(call)],
    ['GET', /^\/mypermissions$/, 'read:jira-work', call => permissionsOf(call)],
    ['GET', /^\/myself$/, 'read:jira-user', ({ isKnown }) => (isKnown ? MYSELF : STRANGER)],
  ];

  const perform = (request: PlatformRequest): PlatformAnswer => {
    const disturbed = disturbance(conditions);
    if (disturbed) return disturbed;
    const isGateway = request.url.pathname.startsWith(`${GATEWAY}/`);
    const path = isGateway ? request.url.pathname.slice(GATEWAY.length) : request.url.pathname;
    const behind = path.startsWith('/rest/api/3/') ? path.slice('/rest/api/3'.length) : '';
    const route = routes.find(([method, pattern]) => method === request.method && pattern.test(behind));
    if (!isAccount(request))
      return isGateway ? { status: 401, json: { code: 401, message: 'Unauthorized' } } : STRANGER;
    const hasScopes = conditions.token === 'with scopes';
    // The gateway does not accept tokens without scopes.
    if (isGateway && (!hasScopes || (route && !conditions.scopes.has(route[2])))) return SCOPE_MISMATCH;
    if (!route) return refused(404, [`There is no ${request.method} ${path}.`]);
    const parts = [...(route[1].exec(behind) ?? [])].slice(1).map(decodeURIComponent);
    const language = languageOf(request.headers, conditions.language);
    const isKnown = isGateway === hasScopes;
    return route[3]({ isKnown, request, parts, shown: name => shownName(name, language) });
  };

  const showOne = ({ isKnown, parts, request }: Call): PlatformAnswer => {
    const issue = isKnown ? issues.find(parts[0] ?? '') : undefined;
    if (!issue) return refused(404, ['Issue does not exist or you do not have permission to see it.']);
    const fields = request.url.searchParams.get('fields')?.split(',') ?? [];
    return { status: 200, json: showIssue(issue, languageOf(request.headers, conditions.language), fields) };
  };

  const change = ({ isKnown, parts, request, shown }: Call): PlatformAnswer => {
    const issue = isKnown ? issues.find(parts[0] ?? '') : undefined;
    const { method, json } = request;
    const life = {
      ...{ now: issues.now, shown, ...conditions },
      priorities: () => projects.flatMap(({ priorities }) => priorities),
      prioritize: (id: string): boolean => {
        const priority = life.priorities().find(each => each.id === id);
        if (issue && priority) issue.priority = priority;
        return priority !== undefined;
      },
    };
    const answer = issue && liveOn({ method, rest: parts[1] ?? '', json }, issue, life);
    return answer ?? refused(404, ['Issue does not exist or you do not have permission to see it.']);
  };

  const typesOf = (call: Call): PlatformAnswer => {
    const project = visible(call, call.parts[0] ?? '');
    if (!project) return refused(404, ['No project could be found with that key.']);
    const types = project.types.map(({ id, name }): Json => ({ id, name: call.shown(name), subtask: false }));
    return page('issueTypes', types);
  };

  const fieldsOf = (call: Call): PlatformAnswer => {
    const project = visible(call, call.parts[0] ?? '');
    const type = project?.types.find(({ id }) => id === call.parts[1]);
    return project && type ? page('fields', shownScreen(project, call.shown)) : refused(404, ['No issue type.']);
  };

  const permissionsOf = (call: Call): PlatformAnswer => {
    const { searchParams } = call.request.url;
    const project = visible(call, searchParams.get('projectKey') ?? '');
    if (!project) return refused(404, ['No project could be found with that key.']);
    const names = searchParams.get('permissions')?.split(',') ?? [];
    const permissions = Object.fromEntries(
      names.map(key => [key, { key, havePermission: !conditions.lacks.has(key) }]),
    );
    return { status: 200, json: { permissions } };
  };

  const platform = await startPlatform(options, perform);
  return Object.assign(platform, {
    ...{ account: ACCOUNT, gateway: platform.origin + GATEWAY, projects, issues, conditions },
    webhookOf: (issue: Issue, secret?: string) => {
      const body = JSON.stringify(report(issue, conditions));
      const hmac = secret === undefined ? undefined : createHmac('sha256', secret).update(body).digest('hex');
      return {
        body,
        headers: {
          'content-type': 'application/json; charset=UTF-8',
          // The identifier is the same for each delivery attempt.
          'x-atlassian-webhook-identifier': randomUUID(),
          // https://developer.atlassian.com/cloud/jira/platform/webhooks, "Secure admin webhooks".
          ...(hmac !== undefined && { 'x-hub-signature': `sha256=${hmac}` }),
        },
      };
    },
  });
}

/** Contains the whole issue, in the language of the site. */
function report(issue: Issue, { language }: SiteConditions): JsonObject {
  return {
    timestamp: issue.updatedAt.getTime(),
    webhookEvent: 'jira:issue_updated',
    user: { accountId: '5b10a2844c20165700ede21g', displayName: 'Mia Krystof' },
    issue: showIssue(issue, language, []),
    changelog: { id: String(issue.updatedAt.getTime()), items: [{ field: 'status' }] },
  };
}

function page(list: string, entries: Json[]): PlatformAnswer {
  return { status: 200, json: { startAt: 0, maxResults: 200, total: entries.length, [list]: entries } };
}

function isAccount({ headers }: PlatformRequest): boolean {
  const basic = Buffer.from(`${ACCOUNT.email}:${ACCOUNT.api_token}`).toString('base64');
  return headers.authorization === `Basic ${basic}`;
}

const STRANGER = refused(401, ['Client must be authenticated to access this resource.']);
const MYSELF: PlatformAnswer = { status: 200, json: { accountId: '1', active: true } };
