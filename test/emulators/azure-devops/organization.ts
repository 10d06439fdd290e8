import type { JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { withFaults, type FaultyPlatform } from '../vendor-faults.js';
import { versionFailure, typeFailure } from './api-rules.js';
import { blocked, disturbance, EXPIRED, plainOrganization, rateHeaders, signIn, UNAUTHORIZED } from './conditions.js';
import type { AzureConditions } from './conditions.js';
import { failure, noItem, noProject } from './errors.js';
import { WorkItems } from './items.js';
import { applyPatch, isFailure, textOf } from './patch.js';
import { PROCESSES, type ProcessName } from './process.js';
import { readWiql } from './wiql.js';

/** An organization of Azure DevOps with one account. */
export interface Organization extends PlatformEndpoint, FaultyPlatform {
  /** `https://host:port/acme` replaces `https://dev.azure.com/acme`. */
  readonly base: string;
  readonly token: string;
  /** The process of each project, by the name of the project. A test may add projects. */
  readonly projects: Map<string, ProcessName>;
  readonly items: WorkItems;
  readonly conditions: AzureConditions;
}

const ORGANIZATION = 'acme';
const TOKEN = 'q7n5fz3m4c6hd2kx0p8vb1sj9tw5ry3ulaeigo7n5fz3m4c6hd2k';
const ITEM = /^\/wit\/workitems\/(\d+)(\/comments)?$/i;
const TYPE = /^\/wit\/workitemtypes(?:\/([^/]+)(\/states)?)?$/i;

/** Maximum number of ids in one request for a list ("Work Items - List"). */
const IDS_MAX = 200;

/** Emulates Azure Boards (https://learn.microsoft.com/rest/api/azure/devops/wit/?view=azure-devops-rest-7.1). */
export async function startOrganization(options: Omit<EndpointOptions, 'behaviour'>): Promise<Organization> {
  const conditions = plainOrganization();
  const projects = new Map<string, ProcessName>([['AI Governance', 'Agile']]);
  const items = new WorkItems(() => `${platform.origin}/${ORGANIZATION}`);

  const perform = (request: PlatformRequest): PlatformAnswer => {
    const disturbed = disturbance(conditions);
    if (disturbed) return disturbed;
    const answer = authorized(request);
    if (conditions.delayedForS === undefined || answer.status !== 200) return answer;
    return { ...answer, headers: { ...answer.headers, ...rateHeaders(conditions.delayedForS, 1.5) } };
  };

  const authorized = (request: PlatformRequest): PlatformAnswer => {
    const { method, url, headers } = request;
    if (!isAccount(headers.authorization)) return signIn(method, headers, conditions);
    if (conditions.token === 'expired') return EXPIRED;
    const [, organization, scope, path = ''] = /^\/([^/]+)(?:\/([^/]+))?\/_apis(\/.*)$/.exec(url.pathname) ?? [];
    if (organization !== ORGANIZATION) return NO_RESOURCE;
    const project = scope === undefined ? undefined : decodeURIComponent(scope);
    if (project !== undefined && !projects.has(project)) return noProject(project);
    const refused = versionFailure(request, path);
    if (refused) return refused;
    const isSearch = path.toLowerCase() === '/wit/wiql';
    if (method !== 'GET' && !isSearch && conditions.token === 'read only') return UNAUTHORIZED;
    if (isSearch && method === 'POST') return search(request, project);
    const type = /^\/wit\/workitems\/\$(.+)$/i.exec(path)?.[1];
    if (type !== undefined && method === 'POST' && project !== undefined) {
      return create(request, project, decodeURIComponent(type));
    }
    if (path.toLowerCase() === '/wit/workitems' && method === 'GET') return list(url, project);
    const [, id, comments] = ITEM.exec(path) ?? [];
    if (id !== undefined)
      return comments === undefined ? onItem(request, id, project) : onComments(request, id, project);
    const [known, typeName, states] = TYPE.exec(path) ?? [];
    if (known === undefined || method !== 'GET' || project === undefined) return NO_RESOURCE;
    return showTypes(project, typeName && decodeURIComponent(typeName), states !== undefined);
  };

  const create = (request: PlatformRequest, project: string, type: string): PlatformAnswer => {
    const workflow = PROCESSES[projects.get(project) ?? 'Agile'][type];
    if (!workflow) return noType(type, project);
    const wrong = typeFailure(request);
    if (wrong) return wrong;
    const patched = applyPatch(request.json, { project, workflow }, conditions);
    if (isFailure(patched)) return patched;
    if (request.url.searchParams.get('validateOnly') === 'true')
      return { status: 200, json: { fields: patched.fields } };
    const item = items.create(project, type, workflow, patched.fields);
    if (patched.comment !== undefined) item.comments.push({ id: 1, text: patched.comment, createdAt: items.now() });
    // The status is 200, not 201 ("Work Items - Create", Responses).
    return { status: 200, json: items.show(item) };
  };

  const onItem = (request: PlatformRequest, id: string, project?: string): PlatformAnswer => {
    const item = items.find(id, project);
    if (!item) return noItem(id);
    const { method, url } = request;
    if (method === 'GET') return { status: 200, json: items.show(item, url.searchParams.get('fields')?.split(',')) };
    if (method !== 'PATCH') return NO_METHOD;
    const wrong = typeFailure(request);
    if (wrong) return wrong;
    const patched = applyPatch(request.json, { item, project: item.project, workflow: item.workflow }, conditions);
    if (isFailure(patched)) return patched;
    if (conditions.collisions > 0) {
      conditions.collisions -= 1;
      return COLLISION;
    }
    if (patched.comment !== undefined) {
      item.comments.push({ id: item.comments.length + 1, text: patched.comment, createdAt: items.now() });
    }
    items.revise(item, patched.fields);
    return { status: 200, json: items.show(item) };
  };

  const onComments = ({ method, json }: PlatformRequest, id: string, project?: string): PlatformAnswer => {
    const item = items.find(id, project);
    if (!item) return noItem(id);
    if (method === 'GET') {
      const comments = item.comments.toReversed().map(({ id: commentId, text }) => ({ id: commentId, text }));
      return { status: 200, json: { totalCount: comments.length, count: comments.length, comments } };
    }
    const text = asObject(json)?.['text'];
    if (typeof text !== 'string' || text === '') return failure(400, 'ArgumentException', 'Value cannot be null: text');
    item.comments.push({ id: item.comments.length + 1, text, createdAt: items.now() });
    items.revise(item, item.fields);
    return { status: 200, json: { workItemId: item.id, id: item.comments.length, version: 1, text } };
  };

  const list = ({ searchParams }: URL, project?: string): PlatformAnswer => {
    const ids = searchParams.get('ids')?.split(',') ?? [];
    if (ids.length === 0 || ids.length > IDS_MAX) {
      return failure(400, 'VssPropertyValidationException', `A list takes from 1 to ${IDS_MAX} ids.`);
    }
    const found = ids.map(id => items.find(id, project));
    const missing = ids.find((_id, at) => !found[at]);
    // One missing or hidden item fails the whole request, unless the request asks to omit such items.
    if (missing !== undefined && searchParams.get('errorPolicy')?.toLowerCase() !== 'omit') return noItem(missing);
    const names = searchParams.get('fields')?.split(',');
    const value = found.map(item => (item ? items.show(item, names) : null));
    return { status: 200, json: { count: value.length, value } };
  };

  const search = ({ url, json }: PlatformRequest, project?: string): PlatformAnswer => {
    const query = asObject(json)?.['query'];
    try {
      const { columns, test, isDescending } = readWiql(typeof query === 'string' ? query : '', project);
      // The address does not limit the search to the project; `@project` does ("Wiql - Query By Wiql").
      const found = items.visible().filter(item => test(items.fieldsOf(item)));
      if (found.length > conditions.queryLimit) return tooMany(conditions.queryLimit);
      const ordered = isDescending ? found.toReversed() : found;
      const top = Number(url.searchParams.get('$top') ?? ordered.length);
      const workItems = ordered.slice(0, top).map(item => ({ id: item.id, url: textOf(items.show(item)['url']) }));
      const shown = columns.map((referenceName): JsonObject => ({ referenceName }));
      const head = { queryType: 'flat', queryResultType: 'workItem', asOf: items.now().toISOString() };
      return { status: 200, json: { ...head, columns: shown, workItems } };
    } catch (error) {
      return failure(400, 'SyntaxErrorException', error instanceof Error ? error.message : 'TF51003');
    }
  };

  const showTypes = (project: string, type: string | undefined, isStates: boolean): PlatformAnswer => {
    const types = PROCESSES[projects.get(project) ?? 'Agile'];
    if (type === undefined) {
      const value = Object.keys(types).map(name => ({ name, isDisabled: false }));
      return { status: 200, json: { count: value.length, value } };
    }
    const workflow = types[type];
    if (!workflow) return noType(type, project);
    const states = workflow.map(([name, category]) => ({ name, category, color: 'b2b2b2' }));
    return { status: 200, json: isStates ? { count: states.length, value: states } : { name: type, states } };
  };

  const platform = await startPlatform(options, perform);
  const base = `${platform.origin}/${ORGANIZATION}`;
  const organization = Object.assign(platform, { base, token: TOKEN, projects, items, conditions });
  return withFaults(organization, { throttled: blocked(30), failed: INTERNAL });
}

/** A personal access token as password with any or no user name, or a Microsoft Entra access token as Bearer. */
function isAccount(authorization: string | undefined): boolean {
  const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
  if (basic === undefined) return authorization === `Bearer ${TOKEN}`;
  return Buffer.from(basic, 'base64').toString('utf8').split(':')[1] === TOKEN;
}

function noType(type: string, project: string): PlatformAnswer {
  const message = `VS402323: Work item type ${type} does not exist in project ${project} or you do not have permission to access it.`;
  return failure(404, 'WorkItemTypeNotFoundException', message);
}

function tooMany(limit: number): PlatformAnswer {
  const message = `VS402337: The number of work items returned exceeds the size limit of ${limit}. Change the query to return fewer items.`;
  return failure(400, 'WorkItemTrackingQueryResultSizeLimitExceededException', message);
}

const NO_RESOURCE: PlatformAnswer = { status: 404, text: '<html><title>The resource cannot be found.</title></html>' };
const NO_METHOD = failure(405, 'VssServiceException', 'The requested resource does not support this http method.');
const INTERNAL = failure(500, 'HttpResponseException', 'TF400898: An Internal Error Occurred.');
const COLLISION = failure(
  409,
  'WorkItemRevisionMismatchException',
  'TF26071: This work item has been changed by someone else since you opened it. You will need to refresh it and discard your changes.',
);
