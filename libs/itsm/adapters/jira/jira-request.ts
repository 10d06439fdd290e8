import type { Json } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import { apiBaseOf, type JiraContext } from './jira-settings.js';

/** What is asked of the REST API, version 3. */
export interface JiraRequest {
  /** Behind `/rest/api/3`; what comes from outside is encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** With it the request is a POST. */
  readonly json?: Json;
  /** Default: POST with a body, otherwise GET. */
  readonly method?: 'PUT';
  readonly timeoutMs?: number;
  /** Names of types, priorities and the like: in English, or in the language of the account. Default: in English. */
  readonly names?: 'english' | 'of the account';
}

/** For an account that is signed in, Jira heeds the language of a request only with the second header. */
const ENGLISH = { 'accept-language': 'en-US,en', 'x-force-accept-language': 'true' };

/** @throws AdapterHttpError */
export function askJira(context: JiraContext, request: JiraRequest): Promise<AdapterResponse> {
  const { email, api_token } = context.secrets;
  const query = request.query ? `?${new URLSearchParams(request.query).toString()}` : '';
  return context.http.request({
    method: request.method ?? (request.json === undefined ? 'GET' : 'POST'),
    url: `${apiBaseOf(context.settings)}/rest/api/3${request.path}${query}`,
    headers: {
      accept: 'application/json',
      ...(request.names !== 'of the account' && ENGLISH),
      authorization: `Basic ${Buffer.from(`${email}:${api_token}`).toString('base64')}`,
    },
    ...(request.json !== undefined && { json: request.json }),
    ...(request.timeoutMs !== undefined && { timeoutMs: request.timeoutMs }),
  });
}
