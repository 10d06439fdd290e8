import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import type { PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { refused, type SiteConditions } from './conditions.js';
import { createIssue } from './create.js';
import { showIssue, type Issue, type Issues } from './issues.js';
import { liveOn } from './life.js';
import { languageOf } from './names.js';
import { shownScreen, type Project } from './project.js';
import { searchIssues } from './search.js';

/** An operation that a test can disturb. */
export type SiteOperation = 'create' | 'search' | 'createmeta' | 'permissions' | 'issue' | 'change' | 'myself';

/** The context of a route. */
export interface Call {
  /** Whether the account sent the request. Otherwise it is anonymous. */
  readonly isKnown: boolean;
  readonly request: PlatformRequest;
  readonly parts: readonly string[];
  readonly shown: (name: string) => string;
}

export interface SiteRoute {
  readonly operation: SiteOperation;
  readonly method: string;
  /** The path after `/rest/api/3`. */
  readonly path: RegExp;
  /** The scope that a token needs. */
  readonly scope: string;
  answer(call: Call): PlatformAnswer;
}

/** The content of a site. */
export interface SiteContent {
  readonly projects: readonly Project[];
  readonly issues: Issues;
  readonly conditions: SiteConditions;
}

const [READ, WRITE] = ['read:jira-work', 'write:jira-work'] as const;
const NO_ISSUE = refused(404, ['Issue does not exist or you do not have permission to see it.']);
const NO_PROJECT = refused(404, ['No project could be found with that key.']);
export const STRANGER = refused(401, ['Client must be authenticated to access this resource.']);
const MYSELF: PlatformAnswer = { status: 200, json: { accountId: '1', active: true } };

/** All operations of the emulated API. */
export function siteRoutes({ projects, issues, conditions }: SiteContent): SiteRoute[] {
  const mayCreate = (project: Project): boolean =>
    project.mayCreate !== false && !conditions.lacks.has('CREATE_ISSUES');
  const projectOf = ({ isKnown }: Call, idOrKey = ''): Project | undefined =>
    isKnown ? projects.find(({ id, key }) => [id, key].includes(idOrKey)) : undefined;
  const issueOf = ({ isKnown, parts }: Call): Issue | undefined => (isKnown ? issues.find(parts[0] ?? '') : undefined);

  const show = (call: Call): PlatformAnswer => {
    const issue = issueOf(call);
    if (!issue) return NO_ISSUE;
    const { searchParams, origin } = call.request.url;
    const fields = searchParams.get('fields')?.split(',') ?? [];
    const shown = showIssue(issue, languageOf(call.request.headers, conditions.language), fields);
    return { status: 200, json: Object.assign(shown, { self: `${origin}/rest/api/3/issue/${issue.id}` }) };
  };

  const change = (call: Call): PlatformAnswer => {
    const issue = issueOf(call);
    const { method, json } = call.request;
    const life = {
      ...{ now: issues.now, shown: call.shown, ...conditions },
      priorities: () => projects.flatMap(({ priorities }) => priorities),
      prioritize: (id: string): boolean => {
        const priority = life.priorities().find(each => each.id === id);
        if (issue && priority) issue.priority = priority;
        return priority !== undefined;
      },
    };
    return (issue && liveOn({ method, rest: call.parts[1] ?? '', json }, issue, life)) ?? NO_ISSUE;
  };

  const typesOf = (call: Call): PlatformAnswer => {
    const project = projectOf(call, call.parts[0]);
    if (!project) return NO_PROJECT;
    // An account sees the types with which it may create issues.
    const types = mayCreate(project) ? project.types : [];
    const shown = types.map(({ id, name, subtask = false }) => ({ id, name: call.shown(name), subtask }));
    return page(call, conditions, 'issueTypes', shown);
  };

  const fieldsOf = (call: Call): PlatformAnswer => {
    const project = projectOf(call, call.parts[0]);
    const type = project?.types.find(({ id }) => id === call.parts[1]);
    if (!project || !type) return refused(404, ['No issue type.']);
    return page(call, conditions, 'fields', shownScreen(project, call.shown));
  };

  const permissionsOf = (call: Call): PlatformAnswer => {
    const { searchParams } = call.request.url;
    const names = searchParams.get('permissions')?.split(',') ?? [];
    if (names.length === 0 || !names.every(name => PERMISSIONS.has(name))) {
      return refused(400, ['The parameter permissions is required, and names permissions.']);
    }
    const project = projectOf(call, searchParams.get('projectKey') ?? '');
    if (!project) return NO_PROJECT;
    const has = (name: string): boolean =>
      name === 'CREATE_ISSUES' ? mayCreate(project) : !conditions.lacks.has(name);
    const permissions: JsonObject = Object.fromEntries(
      names.map(key => [key, { id: '11', key, name: key, type: 'PROJECT', havePermission: has(key) }]),
    );
    return { status: 200, json: { permissions } };
  };

  const [one, part] = [/^\/issue\/([^/]+)$/, /^\/issue\/([^/]+)(\/comment|\/transitions|\/editmeta)$/];
  const found = (call: Call): PlatformAnswer => searchIssues(call, issues, conditions);
  const make = (call: Call): PlatformAnswer => createIssue(call, { projects, issues, mayCreate });
  const me = ({ isKnown }: Call): PlatformAnswer => (isKnown ? MYSELF : STRANGER);
  return [
    ['create', 'POST', /^\/issue$/, WRITE, make] as const,
    ['search', 'POST', /^\/search\/jql$/, READ, found] as const,
    ['search', 'GET', /^\/search\/jql$/, READ, found] as const,
    ['issue', 'GET', one, READ, show] as const,
    ['change', 'PUT', one, WRITE, change] as const,
    ['change', 'GET', part, READ, change] as const,
    ['change', 'POST', /^\/issue\/([^/]+)(\/comment|\/transitions)$/, WRITE, change] as const,
    ['createmeta', 'GET', /^\/issue\/createmeta\/([^/]+)\/issuetypes$/, READ, typesOf] as const,
    ['createmeta', 'GET', /^\/issue\/createmeta\/([^/]+)\/issuetypes\/([^/]+)$/, READ, fieldsOf] as const,
    ['permissions', 'GET', /^\/mypermissions$/, READ, permissionsOf] as const,
    ['myself', 'GET', /^\/myself$/, 'read:jira-user', me] as const,
  ].map(([operation, method, path, scope, answer]) => ({ operation, method, path, scope, answer }));
}

/** The names of permissions that integrations ask for (docs, "Permissions"). */
const PERMISSIONS = new Set(['BROWSE_PROJECTS', 'CREATE_ISSUES', 'EDIT_ISSUES', 'ADD_COMMENTS', 'TRANSITION_ISSUES']);
/** The maximum of `maxResults` in the create metadata. */
const PAGE_MAX = 200;

function page({ request }: Call, { metaPage }: SiteConditions, list: string, all: readonly Json[]): PlatformAnswer {
  const { searchParams } = request.url;
  const [from, asked] = [Number(searchParams.get('startAt') ?? 0), Number(searchParams.get('maxResults') ?? 50)];
  if (!Number.isInteger(from) || !Number.isInteger(asked)) return refused(400, ['A number is invalid.']);
  if (asked > PAGE_MAX) return refused(400, ["Parameter 'maxResults' must not exceed the limit '200'"]);
  const maxResults = Math.min(asked, metaPage);
  const entries = all.slice(from, from + maxResults);
  return { status: 200, json: { startAt: from, maxResults, total: all.length, [list]: entries } };
}
