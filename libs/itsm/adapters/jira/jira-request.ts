import type { Json } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { JiraSite } from './jira-site.js';

/** A request to Jira's REST API. */
export interface JiraRequest {
  /** Path after the API version. The caller encodes external values. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON body. If it is set, the request is a POST. */
  readonly json?: Json;
  /** Default: POST with a body, otherwise GET. */
  readonly method?: 'PUT';
  readonly timeoutMs?: number;
  /** Language of the names of issue types, priorities and so on. Default: English. */
  readonly names?: 'english' | 'of the account';
}

/** For a signed-in account, Jira obeys `accept-language` only together with `x-force-accept-language`. */
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
