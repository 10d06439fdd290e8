import type { Clock, Json, JsonObject } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { CreateFailure, TicketRef } from '../../adapter/create-outcome.js';
import {
  asObject,
  asText,
  objectIn,
  outcomeOfRefusal,
  PlatformAnswerError,
  quoted,
  retryAfterMs,
} from '../../adapter/platform-answer.js';
import type { AzureDevOpsSettings, Context } from './connector.js';

/** A request to the work items of an organization. */
export interface BoardsRequest {
  /** Behind `_apis/wit/`; parts from outside are encoded. */
  readonly path: string;
  /** Without it, work items are found in whichever project they were moved to. */
  readonly project?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** An array is a JSON Patch document. */
  readonly json?: Json;
  readonly method?: 'PATCH';
  readonly timeoutMs?: number;
}

const VERSION = '7.1';

const SIGN_IN =
  'Azure DevOps does not accept the personal access token: it is wrong, expired or revoked, belongs to another ' +
  'organization, or lacks the scope Work Items (Read & write).';

/** @throws AdapterHttpError */
export function askBoards(context: Context, request: BoardsRequest): Promise<AdapterResponse> {
  const { path, project, json, method, timeoutMs } = request;
  const scope = project === undefined ? '' : `/${encodeURIComponent(project)}`;
  // Comments are in preview (REST API 7.1, "Comments").
  const version = path.endsWith('/comments') ? `${VERSION}-preview.4` : VERSION;
  const query = new URLSearchParams({ ...request.query, 'api-version': version });
  return context.http.request({
    method: method ?? (json === undefined ? 'GET' : 'POST'),
    url: `${baseOf(context.settings)}${scope}/_apis/wit/${path}?${query.toString()}`,
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`:${context.secrets.personal_access_token}`).toString('base64')}`,
      // Otherwise a wrong token is answered with a page.
      'x-tfs-fedauthredirect': 'Suppress',
      ...(Array.isArray(json) && { 'content-type': 'application/json-patch+json' }),
    },
    ...(json !== undefined && { json }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

/** How answers call their lists. */
type ListName = 'value' | 'workItems' | 'comments';

/** A list in an answer to a reading request. @throws PlatformAnswerError, AdapterHttpError */
export async function readList(context: Context, name: ListName, request: BoardsRequest): Promise<JsonObject[]> {
  return listIn(await askBoards(context, request), name, context.clock);
}

export function listIn(answer: AdapterResponse, name: ListName, clock: Clock): JsonObject[] {
  const list = answer.status === 200 ? objectIn(answer)?.[name] : undefined;
  if (!Array.isArray(list)) throw readFailure(answer, clock);
  return list.map(asObject).filter(entry => entry !== undefined);
}

/** Why an answer to a reading request does not hold what it was asked for. */
export function readFailure(answer: AdapterResponse, clock: Clock): PlatformAnswerError {
  const outcome = outcomeOfTrouble(answer, clock);
  if (outcome.kind === 'rejected') return new PlatformAnswerError(outcome.message, { code: outcome.code });
  const wait = retryAfterMs(answer, clock);
  const message = `Azure DevOps did not return what it was asked for (${answer.status}).`;
  return new PlatformAnswerError(message, wait === undefined ? {} : { retryAfterMs: wait });
}

/** What an answer to a create means that holds no work item. */
export function outcomeOfTrouble(answer: AdapterResponse, clock: Clock): CreateFailure {
  // 203 is the page to sign in.
  if (answer.status === 401 || answer.status === 203) return { kind: 'rejected', code: 'auth', message: SIGN_IN };
  const said = asText(objectIn(answer)?.['message']);
  const fields = answer.status === 400 ? fieldErrors(answer) : {};
  if (said === undefined || Object.keys(fields).length === 0) return outcomeOfRefusal(answer, clock, said);
  const message = `Azure DevOps rejected a field of the work item. It says: ${quoted(said)}`;
  return { kind: 'rejected', code: 'field', message, fields };
}

/** Whether the platform itself says that there is no such thing: texts begin with a code in every language. */
export function isMissing(answer: AdapterResponse, code: 'TF401232' | 'VS402323'): boolean {
  return answer.status === 404 && asText(objectIn(answer)?.['message'])?.startsWith(code) === true;
}

/** A work item by its id; undefined where the answer has none. */
export function refOf({ id }: JsonObject, { settings }: Context): TicketRef | undefined {
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) return undefined;
  const url = `${baseOf(settings)}/${encodeURIComponent(settings.project)}/_workitems/edit/${id}`;
  return { externalTicketId: String(id), url };
}

function baseOf({ organization_url }: AzureDevOpsSettings): string {
  return organization_url.replace(/\/+$/, '');
}

/** By reference name: what rules refuse, fields that do not exist, areas and iterations that do not. */
function fieldErrors(answer: AdapterResponse): Record<string, string> {
  const json = objectIn(answer);
  const rules = asObject(json?.['customProperties'])?.['RuleValidationErrors'];
  const refused = (Array.isArray(rules) ? rules : []).map(asObject).map(rule => {
    return [asText(rule?.['fieldReferenceName']), asText(rule?.['errorMessage']) ?? 'is not accepted'] as const;
  });
  const said = asText(json?.['message']) ?? '';
  const [, unknown, wrongTree] = /^TF51535: .*? ([\w.]+?)\.?$|^TF401347: .*'([^']+)'/s.exec(said) ?? [];
  const all = [...refused, [unknown ?? wrongTree, said] as const];
  return Object.fromEntries(all.flatMap(([name, text]) => (name === undefined ? [] : [[quoted(name), quoted(text)]])));
}
