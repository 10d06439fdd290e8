import type { JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { withFaults, type FaultyPlatform } from '../vendor-faults.js';
import * as words from './conditions.js';
import { isRefusal, notGiven, readFields } from './issue-fields.js';
import { GitLabIssues, type GitLabIssue } from './issues.js';
import { listIssues } from './list.js';
import { addNote, carryOut, listNotes } from './notes.js';

/** A GitLab instance with one private project and one account. */
export interface GitLab extends PlatformEndpoint, FaultyPlatform {
  readonly token: string;
  readonly project: { readonly id: number; readonly path_with_namespace: string; readonly web_url: string };
  /** The project's path before somebody renamed or moved it. */
  readonly formerPath: string;
  /** Renames or moves the project, as a person does. */
  rename(path: string): void;
  readonly issues: GitLabIssues;
  readonly conditions: words.GitLabConditions;
}

const TOKEN = 'glpat-9koXpg98eAheJpvBs5tK';
const PROJECT_ID = 15;
const PATH = 'acme/security/ai-incidents';
const FORMER_PATH = 'acme/ai-incidents';

/**
 * Emulates the REST API of GitLab, version 4 (https://docs.gitlab.com/api/rest/, https://docs.gitlab.com/api/issues/).
 * `root` is the URL path of the installation, such as `/gitlab` (https://docs.gitlab.com/install/relative_url/).
 * Default: empty.
 */
export async function startGitLab({
  root = '',
  ...options
}: Omit<EndpointOptions, 'behaviour'> & { root?: string }): Promise<GitLab> {
  const conditions = words.plainInstance();
  const formerPaths = new Set([FORMER_PATH]);

  const perform = (request: PlatformRequest): PlatformAnswer => {
    const { method, url, headers } = request;
    const disturbed = words.disturbance(conditions, issues.now());
    if (disturbed) return disturbed;
    const isReading = method === 'GET';
    // The real instance answers 404 for a private project without a token. This emulator always answers 401.
    if (!isAccount(headers)) return words.refused(401, '401 Unauthorized');
    const refusal = words.tokenRefusal(conditions.token, isReading);
    if (refusal) return refusal;
    const path = url.pathname.startsWith(`${root}/api/v4/`) ? url.pathname.slice(`${root}/api/v4`.length) : '';
    const [, id, rest] = /^\/projects\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (path === '/user') return MYSELF;
    if (path === '/personal_access_tokens/self' && !conditions.isOld) return words.tokenDetails(conditions);
    if (id === undefined) return NO_ROUTE;
    const reference = decodeURIComponent(id);
    if (conditions.role === 'none') return NO_PROJECT;
    if (formerPaths.has(reference)) return moved(request, rest ?? '');
    if (reference !== project.path_with_namespace && reference !== String(PROJECT_ID)) return NO_PROJECT;
    if (conditions.isArchived && !isReading) return words.refused(403, '403 Forbidden');
    if (rest === undefined) return { status: 200, json: { ...project, ...words.projectDetails(conditions) } };
    return onIssues(request, rest);
  };

  /** GET is redirected; other methods are refused (https://docs.gitlab.com/api/rest/, "Redirects"). */
  const moved = ({ method, url }: PlatformRequest, rest: string): PlatformAnswer => {
    if (method !== 'GET') return words.refused(405, 'Non GET methods are not allowed for moved projects');
    const location = `${platform.origin}${root}/api/v4/projects/${PROJECT_ID}${rest}${url.search}`;
    const message = `This resource has been moved permanently to ${location}`;
    return { status: 301, headers: { location }, json: { message } };
  };

  const onIssues = (request: PlatformRequest, rest: string): PlatformAnswer => {
    const { method, url } = request;
    const [, iid, tail = ''] = /^\/issues(?:\/([^/]+)(\/notes)?)?$/.exec(rest) ?? [undefined, undefined, 'none'];
    if (tail === 'none') return NO_ROUTE;
    if (iid === undefined && method === 'GET') return listIssues(url, issues.all.filter(mayRead), issues);
    if (iid === undefined) return method === 'POST' ? create(request) : NOT_ALLOWED;
    const issue = issues.find(iid);
    // The same answer for a hidden and a missing issue.
    if (!issue || !mayRead(issue)) return words.refused(404, '404 Not found');
    if (tail === '/notes') return method === 'POST' ? addNote(request, issue, issues, conditions) : listNotes(issue);
    if (method === 'GET') return { status: 200, json: issues.show(issue) };
    return method === 'PUT' ? update(request, issue) : NOT_ALLOWED;
  };

  const mayRead = ({ confidential, isOwn }: GitLabIssue): boolean =>
    !confidential || isOwn || conditions.role === 'reporter';

  const create = (request: PlatformRequest): PlatformAnswer => {
    const body = bodyOf(request);
    if (!body) return NOT_PARSED;
    if (conditions.hasTooManyIssues) return TOO_MANY_ISSUES;
    const fields = readFields(body, request.url.searchParams);
    if (isRefusal(fields)) return fields;
    const { title, description = null, labels = [], confidential = false } = fields;
    if (title === undefined) return notGiven('title', conditions);
    if (conditions.spam) return words.spamRefusal(conditions.spam);
    // Guests may create issues, but their labels are silently ignored.
    const kept = conditions.role === 'reporter' ? labels : [];
    const issue = issues.create({ title, description, labels: kept, confidential });
    // Quick actions in the description are executed, too (https://docs.gitlab.com/user/project/quick_actions/).
    issue.description = description === null ? null : carryOut(description, issue, issues).text;
    return { status: 201, json: issues.show(issue) };
  };

  const update = (request: PlatformRequest, issue: GitLabIssue): PlatformAnswer => {
    const body = bodyOf(request);
    if (!body) return NOT_PARSED;
    if (Object.keys(body).length === 0 && request.url.search === '') return NOTHING_GIVEN;
    const fields = readFields(body, request.url.searchParams);
    if (isRefusal(fields)) return fields;
    if (conditions.role !== 'reporter' && !issue.isOwn) return words.refused(403, '403 Forbidden');
    issue.title = fields.title ?? issue.title;
    issue.description = fields.description ?? issue.description;
    issue.confidential = fields.confidential ?? issue.confidential;
    const labels = [...(fields.labels ?? issue.labels), ...fields.addLabels];
    issue.labels = [...new Set(labels)].filter(label => !fields.removeLabels.includes(label));
    issue.labels.forEach(label => issues.labels.add(label));
    issue.updatedAt = issues.now();
    // Closing a closed issue changes nothing and is not an error.
    if (fields.stateEvent) issues.transit(issue, fields.stateEvent === 'close' ? 'closed' : 'opened');
    return { status: 200, json: issues.show(issue) };
  };

  const platform = await startPlatform(options, perform);
  const namesOf = (path: string) => ({ path_with_namespace: path, web_url: `${platform.origin}${root}/${path}` });
  const project = { id: PROJECT_ID, ...namesOf(PATH) };
  const issues = new GitLabIssues(project);
  const rename = (path: string): void => {
    formerPaths.add(project.path_with_namespace);
    Object.assign(project, namesOf(path));
  };
  const gitlab = Object.assign(platform, {
    token: TOKEN,
    project,
    formerPath: FORMER_PATH,
    rename,
    issues,
    conditions,
  });
  const throttled = words.throttled(30, issues.now());
  return withFaults(gitlab, { throttled, failed: words.refused(500, '500 Internal Server Error') });
}

/** `PRIVATE-TOKEN`, or `Authorization: Bearer` (https://docs.gitlab.com/api/rest/authentication/). */
function isAccount({ 'private-token': token, authorization }: PlatformRequest['headers']): boolean {
  return token === TOKEN || authorization === `Bearer ${TOKEN}`;
}

/** A missing body counts as an empty one. Undefined if the body is not a JSON object. */
function bodyOf({ body, json }: PlatformRequest): JsonObject | undefined {
  return body.length === 0 ? {} : asObject(json);
}

const MYSELF: PlatformAnswer = { status: 200, json: { id: 7, username: 'ai-governance', state: 'active' } };
const NO_PROJECT = words.refused(404, '404 Project Not Found');
const NO_ROUTE = words.mistaken(404, '404 Not Found');
const NOT_ALLOWED = words.mistaken(405, '405 Not Allowed');
const NOT_PARSED = words.mistaken(400, 'Problems parsing JSON');
const NOTHING_GIVEN = words.mistaken(
  400,
  'title, description, labels, add_labels, remove_labels, confidential, state_event are missing, at least one parameter must be provided',
);
const TOO_MANY_ISSUES = words.refused(429, {
  error: 'This endpoint has been requested too many times. Try again later.',
});
