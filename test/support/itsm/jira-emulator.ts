import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from '../../../libs/testing/index.js';
import type { Authority } from '../certificates.js';
import { JiraIssues, type JiraCategory, type JiraIssue } from './jira-issues.js';
import { JiraOpenApi, jiraOpenApiFile } from '../../emulators/jira/openapi.js';
import { jiraProject, type JiraProject } from './jira-project.js';
import { jiraRoutes, refused, type JiraOperation, type JiraRoute } from './jira-routes.js';
import { startPlatform, toBehaviour, type PlatformEndpoint, type PlatformRequest } from './platform-endpoint.js';
import { FAULTS, type Fault, type FaultName } from './platform-faults.js';

export interface JiraOptions {
  readonly authority: Authority;
  /** The projects. Default: one project, SEC, with the usual screens. */
  readonly projects?: readonly JiraProject[];
  /**
   * Whether tokens have scopes. Tokens with scopes work only behind the gateway, other tokens only at the site.
   * Default: false.
   */
  readonly hasScopes?: boolean;
  /** How Jira treats a wrong token: it refuses the request, or answers it as anonymous. Default: refuses it. */
  readonly wrongTokenIs?: 'refused' | 'a stranger';
  /**
   * Milliseconds from the creation of an issue until searches find it. A function is called for each issue. Default: 0.
   */
  readonly searchDelayMs?: number | (() => number);
  /** The number of first searches that do not find an issue, however late they come. Default: 0. */
  readonly missedSearches?: number;
  /** Maximum number of entries on a page of create metadata. Default: 200. */
  readonly pageSize?: number;
  /** Whether all requests are validated with Atlassian's OpenAPI description, if it is available. Default: true. */
  readonly isHeldToApi?: boolean;
  /** Names of the certificate, in addition to `localhost`. */
  readonly names?: readonly string[];
}

/** A Jira Cloud site with one account. It is at least as strict as a real site. */
export interface JiraEmulator {
  readonly platform: PlatformEndpoint;
  /** Settings of a connector for the first project. */
  readonly settings: { instance_url: string; api_base_url?: string; project_key: string; issue_type: string };
  readonly secrets: { email: string; api_token: string };
  /** The issues, in the order of their creation. */
  readonly issues: readonly JiraIssue[];
  /** Number of issue numbers that refused creates have used up. */
  readonly burntNumbers: number;
  /** The number of requests that were validated with Atlassian's description. */
  readonly apiChecks: number;
  /** All requests of an operation, in order. */
  requestsOf(operation: JiraOperation): readonly PlatformRequest[];
  /** Sets the fault for requests of an operation. A chooser gets the number of each request, beginning with 1. */
  meets(operation: JiraOperation, fault: FaultName | Fault | Chooser): void;
  /** Ends all faults. */
  recovers(): void;
  /** Replaces the projects. */
  have(projects: readonly JiraProject[]): void;
  /** Moves an issue, as a person does on the board. */
  move(issueKey: string, to: { category: JiraCategory; name?: string; resolution?: string | null; at?: Date }): void;
  /** Moves an issue to another project. Its key changes, its id does not, and the former key still finds it. */
  moveTo(projectKey: string, issueKey: string): JiraIssue;
  /** From now on, a page of a search has at most this many issues. */
  paginate(pageSize: number): void;
  /** The request of Jira's own webhook for an issue. */
  webhookOf(issueKey: string, more?: JsonObject): JsonObject;
  /** Rejects if a request or an answer did not match Atlassian's description. */
  close(): Promise<void>;
}

/** Chooses the fault of the nth request, if any. */
export interface Chooser {
  choose(n: number): FaultName | Fault | undefined;
}

const GATEWAY = '/ex/jira/11111111-2222-3333-4444-555555555555';
const API = '/rest/api/3';
const SECRETS = { email: 'tickets@acme.test', api_token: 'ATATT3xFfGF0-the-token-of-this-test' };

export async function startJira(options: JiraOptions): Promise<JiraEmulator> {
  const { authority, names, hasScopes = false, searchDelayMs = 0, missedSearches = 0 } = options;
  let projects = options.projects ?? [jiraProject()];
  const [first] = projects;
  const defects: string[] = [];
  let apiChecks = 0;
  const faults = new Map<JiraOperation, { chooser: Chooser; count: number }>();
  const api = (options.isHeldToApi ?? true) ? openApi() : undefined;
  const issues = new JiraIssues(
    () => projects,
    () => platform.origin,
    typeof searchDelayMs === 'number' ? () => searchDelayMs : searchDelayMs,
    missedSearches,
  );
  const routes = jiraRoutes({ issues, pageSize: options.pageSize ?? 200, projects: () => projects });
  const routeOf = ({ method, url }: PlatformRequest): JiraRoute | undefined =>
    routes.find(route => route.method === method && route.path.test(behindApi(url)));

  const perform = (request: PlatformRequest): PlatformAnswer => {
    const isGateway = isAtGateway(request.url);
    const isKnown = isGateway === hasScopes && isOfAccount(request);
    if (!isKnown && (isGateway || options.wrongTokenIs !== 'a stranger')) return unknownAccount(isGateway);
    const route = routeOf(request);
    if (!route) return refused(404, [`There is no ${request.method} ${request.url.pathname}.`]);
    const wrong = mediaDefect(request);
    if (wrong) return wrong;
    const { url, json } = request;
    const parts = [...(route.path.exec(behindApi(url)) ?? [])].slice(1);
    const answer = route.answer({ isKnown, parts, query: url.searchParams, ...(json !== undefined && { body: json }) });
    const path = API + behindApi(url) + url.search;
    const { status, json: answered } = answer;
    const exchange = { method: request.method, path, status, ...(answered !== undefined && { answer: answered }) };
    if (api) {
      apiChecks += 1;
      defects.push(...api.defects({ ...exchange, ...(json !== undefined && { body: json }) }));
    }
    return isKnown ? answer : { ...answer, headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' } };
  };

  const faultOf = (request: PlatformRequest): Fault | undefined => {
    const route = routeOf(request);
    const met = route && faults.get(route.operation);
    if (!met) return undefined;
    met.count += 1;
    const chosen = met.chooser.choose(met.count);
    return typeof chosen === 'string' ? FAULTS[chosen] : chosen;
  };

  const issueOf = (key: string): JiraIssue => {
    const issue = issues.find(key);
    if (!issue) throw new Error(`There is no issue ${key}.`);
    return issue;
  };

  const platform = await startPlatform({ authority, ...(names && { names }) }, perform);
  const withFaults = (): void => platform.intercept((request, duty) => faultOf(request)?.(() => toBehaviour(duty())));
  return {
    platform,
    settings: {
      instance_url: platform.origin,
      ...(hasScopes && { api_base_url: platform.origin + GATEWAY }),
      project_key: first?.key ?? '',
      issue_type: first?.issueTypes[0]?.name ?? '',
    },
    secrets: { ...SECRETS },
    issues: issues.all,
    get burntNumbers() {
      return issues.burntNumbers;
    },
    get apiChecks() {
      return apiChecks;
    },
    requestsOf: operation => platform.received.filter(request => routeOf(request)?.operation === operation),
    meets: (operation, fault) => {
      faults.set(operation, { chooser: typeof fault === 'object' ? fault : { choose: () => fault }, count: 0 });
      withFaults();
    },
    recovers: () => faults.clear(),
    have: next => {
      projects = next;
    },
    move: (issueKey, { category, name, resolution, at }) => {
      const issue = issueOf(issueKey);
      issue.status = { category, name: name ?? category };
      issue.resolution = resolution ?? null;
      issue.updatedAt = at ?? new Date();
    },
    moveTo: (projectKey, issueKey) => {
      const issue = issueOf(issueKey);
      issue.formerKeys.push(issue.key);
      issue.key = `${projectKey}-${issues.all.length + issue.formerKeys.length}`;
      return issue;
    },
    paginate: pageSize => (issues.searchPage = pageSize),
    webhookOf: (issueKey, more = {}) => ({
      timestamp: issueOf(issueKey).updatedAt.getTime(),
      webhookEvent: 'jira:issue_updated',
      issue_event_type_name: 'issue_generic',
      user: { accountId: '5b10a2844c20165700ede21g', displayName: 'Mia Krystof', active: true },
      issue: issues.show(issueOf(issueKey), ['summary', 'status', 'resolution', 'updated', 'labels']),
      changelog: { id: '10124', items: [{ field: 'status', fieldtype: 'jira', from: '1', to: '3' }] },
      ...more,
    }),
    close: async () => {
      await platform.close();
      if (defects.length > 0) throw new Error(`Not as Atlassian describes its API:\n${defects.join('\n')}`);
    },
  };
}

let loaded: JiraOpenApi | undefined;

/** Reads the description once per process, because it is large. */
function openApi(): JiraOpenApi | undefined {
  const file = jiraOpenApiFile();
  return file === undefined ? undefined : (loaded ??= new JiraOpenApi(file));
}

function isAtGateway({ pathname }: URL): boolean {
  return pathname.startsWith(`${GATEWAY}/`);
}

/** The path after `/rest/api/3`; empty for other paths. */
function behindApi(url: URL): string {
  const path = isAtGateway(url) ? url.pathname.slice(GATEWAY.length) : url.pathname;
  return path.startsWith(`${API}/`) ? path.slice(API.length) : '';
}

function isOfAccount({ headers }: PlatformRequest): boolean {
  const { email, api_token } = SECRETS;
  return headers.authorization === `Basic ${Buffer.from(`${email}:${api_token}`).toString('base64')}`;
}

function unknownAccount(isGateway: boolean): PlatformAnswer {
  const json: Json = { code: 401, message: 'Unauthorized; scope does not match' };
  return isGateway ? { status: 401, json } : refused(401, ['Client must be authenticated to access this resource.']);
}

function mediaDefect({ method, headers, body, json }: PlatformRequest): PlatformAnswer | undefined {
  if (!/(^|[ ,])(application\/json|\*\/\*)/.test(headers.accept ?? '')) return refused(406, ['Not acceptable']);
  if (method === 'GET') return body.length === 0 ? undefined : refused(400, ['A GET has no body']);
  if (!/^application\/json\s*(;|$)/.test(headers['content-type'] ?? ''))
    return refused(415, ['Unsupported media type']);
  return json === undefined ? refused(400, ['Invalid request payload.']) : undefined;
}
