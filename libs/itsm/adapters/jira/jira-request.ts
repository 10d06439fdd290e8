import type { Json } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { JiraSite } from './jira-site.js';

/** What is asked of the REST API. */
export interface JiraRequest {
  /** Behind the version of the API; what comes from outside is encoded. */
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
export function askJira(site: JiraSite, request: JiraRequest): Promise<AdapterResponse> {
  const query = request.query ? `?${new URLSearchParams(request.query).toString()}` : '';
  return site.http.request({
    method: request.method ?? (request.json === undefined ? 'GET' : 'POST'),
    url: `${site.api}${request.path}${query}`,
    headers: {
      accept: 'application/json',
      ...(request.names !== 'of the account' && ENGLISH),
      authorization: site.authorization,
    },
    ...(request.json !== undefined && { json: request.json }),
    ...(request.timeoutMs !== undefined && { timeoutMs: request.timeoutMs }),
  });
}
