import { createHmac, randomUUID } from 'node:crypto';
import type { JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { disturbable, type Disturbable } from '../disturbances.js';
import { disturbance, plainSite, refused, SCOPE_MISMATCH, type SiteConditions } from './conditions.js';
import { Issues, showIssue, type Issue } from './issues.js';
import { languageOf, shownName } from './names.js';
import { JiraOpenApi, jiraOpenApiFile } from './openapi.js';
import { fieldProject, type Project } from './project.js';
import { siteRoutes, STRANGER, type SiteOperation, type SiteRoute } from './routes.js';

export interface SiteOptions extends Omit<EndpointOptions, 'behaviour'> {
  /** The projects at the start. Default: one project, SEC, with the usual screen. */
  readonly projects?: readonly Project[];
  /** Conditions that differ from those of a plain site. */
  readonly conditions?: Partial<SiteConditions>;
  /**
   * Whether `close` rejects if a client sent a request that a real site accepts only in part. Then all requests are also
   * validated with Atlassian's OpenAPI description, if it is available. Default: true.
   */
  readonly isStrict?: boolean;
}

/** A Jira Cloud site with one account. A test may change its conditions and projects. */
export interface Site extends PlatformEndpoint, Disturbable<SiteOperation> {
  readonly account: { readonly email: string; readonly api_token: string };
  /** Settings of a connector for the project and the token that the site has at its start. */
  readonly settings: { instance_url: string; api_base_url?: string; project_key: string; issue_type: string };
  /** `https://…/ex/jira/{cloudId}`, where tokens with scopes work. */
  readonly gateway: string;
  readonly projects: Project[];
  readonly issues: Issues;
  readonly conditions: SiteConditions;
  /** Parts of requests that a real site ignores, and differences from Atlassian's OpenAPI description. */
  readonly complaints: readonly string[];
  /** `api`: the number of requests that were validated with Atlassian's description. */
  readonly checks: { readonly api: number };
  /** Replaces the projects. */
  have(...projects: readonly Project[]): void;
  /** The site's webhook request for an issue. With a secret it is signed. */
  webhookOf(issue: Issue, secret?: string): { body: string; headers: Record<string, string> };
  /**
   * Registers a webhook: from now on, the site sends a request to this address if somebody sets the status of an issue.
   * `webhookAnswers` has the status of each answer.
   */
  registerWebhook(url: string, secret: string): void;
  readonly webhookAnswers: readonly number[];
  /** Closes the site. Rejects with the complaints, if there are any and the site is strict. */
  close(): Promise<void>;
}

const ACCOUNT = { email: 'tickets@acme.test', api_token: 'ATATT3xFfGF0-a-token-of-this-test' };
const GATEWAY = '/ex/jira/11111111-2222-3333-4444-555555555555';
const API = '/rest/api/3';

/** Emulates the REST API of Jira Cloud, version 3 (https://developer.atlassian.com/cloud/jira/platform/rest/v3). */
export async function startSite(options: SiteOptions): Promise<Site> {
  const { projects: given = [fieldProject()], conditions: changed, isStrict = true, ...endpoint } = options;
  const conditions = { ...plainSite(), ...changed };
  const issues = new Issues();
  issues.indexLagMs = () =>
    typeof conditions.indexLagMs === 'number' ? conditions.indexLagMs : conditions.indexLagMs();
  issues.missedSearches = () => conditions.missedSearches;
  const projects = [...given];
  const complaints: string[] = [];
  const api = isStrict ? openApi() : undefined;
  const checks = { api: 0 };
  const webhookAnswers: number[] = [];
  const sent: Promise<void>[] = [];
  const routes = siteRoutes({ projects, issues, conditions });
  const routeOf = ({ method, url }: PlatformRequest): SiteRoute | undefined =>
    routes.find(route => route.method === method && route.path.test(behindApi(url)));

  const perform = (request: PlatformRequest): PlatformAnswer => {
    const disturbed = disturbance(conditions);
    if (disturbed) return disturbed;
    const isGateway = isAtGateway(request.url);
    const route = routeOf(request);
    const isAccount = isOfAccount(request);
    if (!isAccount && isGateway) return { status: 401, json: { code: 401, message: 'Unauthorized' } };
    if (!isAccount && conditions.wrongToken === 'is refused') return STRANGER;
    const hasScopes = conditions.token === 'with scopes';
    // The gateway does not accept tokens without scopes.
    if (isGateway && (!hasScopes || (route && !conditions.scopes.has(route.scope)))) return SCOPE_MISMATCH;
    if (!route) return refused(404, [`There is no ${request.method} ${request.url.pathname}.`]);
    const isKnown = isAccount && isGateway === hasScopes;
    const answer = mediaRefusal(request) ?? answerOf(route, request, isKnown);
    complaints.push(...ignoredIn(route, request));
    if (api) {
      checks.api += 1;
      complaints.push(...api.defects(exchangeOf(request, answer)));
    }
    return isAccount ? answer : { ...answer, headers: { ...answer.headers, ...FAILED_LOGIN } };
  };

  const answerOf = (route: SiteRoute, request: PlatformRequest, isKnown: boolean): PlatformAnswer => {
    const parts = [...(route.path.exec(behindApi(request.url)) ?? [])].slice(1).map(decodeURIComponent);
    const language = languageOf(request.headers, conditions.language);
    return route.answer({ isKnown, request, parts, shown: name => shownName(name, language) });
  };

  const platform = disturbable(await startPlatform(endpoint, perform), request => routeOf(request)?.operation);
  const closeEndpoint = platform.close.bind(platform);
  const gateway = platform.origin + GATEWAY;
  return Object.assign(platform, {
    ...{ account: ACCOUNT, gateway, projects, issues, conditions, complaints, checks },
    settings: {
      instance_url: platform.origin,
      ...(conditions.token === 'with scopes' && { api_base_url: gateway }),
      project_key: projects[0]?.key ?? '',
      issue_type: projects[0]?.types[0]?.name ?? '',
    },
    have: (...next: readonly Project[]) => void projects.splice(0, projects.length, ...next),
    webhookOf: (issue: Issue, secret?: string) => webhookRequest(report(issue, conditions), secret),
    webhookAnswers,
    registerWebhook: (url: string, secret: string) => {
      issues.moved = issue => {
        const request = webhookRequest(report(issue, conditions), secret);
        sent.push(fetch(url, { method: 'POST', ...request }).then(({ status }) => void webhookAnswers.push(status)));
      };
    },
    close: async () => {
      await Promise.all(sent);
      await closeEndpoint();
      if (isStrict && complaints.length > 0) throw new Error(`The site complains:\n${complaints.join('\n')}`);
    },
  });
}

/** Fields of a create that a real site ignores. The ticket would lack them without an error. */
function ignoredIn({ operation }: SiteRoute, { json }: PlatformRequest): string[] {
  if (operation !== 'create') return [];
  const unknown = Object.keys(asObject(json) ?? {}).filter(name => !['fields', 'properties'].includes(name));
  return unknown.map(name => `A create ignores ${name}.`);
}

function mediaRefusal({ method, headers, json }: PlatformRequest): PlatformAnswer | undefined {
  if (!/(^|[ ,])(application\/json|\*\/\*)/.test(headers.accept ?? '*/*')) return refused(406, ['Not acceptable']);
  if (method === 'GET') return undefined;
  if (!/^application\/json\s*(;|$)/.test(headers['content-type'] ?? ''))
    return refused(415, ['Unsupported media type']);
  return json === undefined ? refused(400, ['Invalid request payload.']) : undefined;
}

function webhookRequest(content: JsonObject, secret?: string): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(content);
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

let loaded: JiraOpenApi | undefined;

/** Reads the description once per process, because it is large. */
function openApi(): JiraOpenApi | undefined {
  const file = jiraOpenApiFile();
  return file === undefined ? undefined : (loaded ??= new JiraOpenApi(file));
}

function exchangeOf(
  { method, url, json }: PlatformRequest,
  answer: PlatformAnswer,
): Parameters<JiraOpenApi['defects']>[0] {
  return {
    ...{ method, path: API + behindApi(url) + url.search, status: answer.status },
    ...(json !== undefined && { body: json }),
    ...(answer.json !== undefined && { answer: answer.json }),
  };
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
  const basic = Buffer.from(`${ACCOUNT.email}:${ACCOUNT.api_token}`).toString('base64');
  return headers.authorization === `Basic ${basic}`;
}

const FAILED_LOGIN = { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' };
