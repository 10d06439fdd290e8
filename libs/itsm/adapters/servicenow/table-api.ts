import type { Clock, Json, JsonObject } from '#core';
import type { TokenGrant } from '../../adapter/access-tokens.js';
import type { AdapterHttp, AdapterResponse } from '../../adapter/adapter-http.js';
import { asObject, asText, jsonOf, objectIn, PlatformAnswerError } from '../../adapter/platform-answer.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { tableOf, type ServiceNowSecrets, type ServiceNowSettings } from './connector.js';

/** What every request needs. */
export interface Access {
  readonly settings: ServiceNowSettings;
  readonly secrets: ServiceNowSecrets;
  readonly http: AdapterHttp;
}

/** The address of the instance without a final slash. */
export function baseOf({ instance_url }: ServiceNowSettings): string {
  return instance_url.replace(/\/+$/, '');
}

/**
 * How the instance grants a token (https://www.servicenow.com/docs, "OAuth API request parameters", "Client credentials
 * grant"); undefined for a connector without a client. With an account the client signs in as it, and otherwise as the
 * user of its entry in the application registry.
 */
export function grantOf({ settings, secrets }: Pick<Access, 'settings' | 'secrets'>): TokenGrant | undefined {
  const { username, password, client_id, client_secret } = secrets;
  if (client_id === undefined || client_secret === undefined) return undefined;
  const account = username !== undefined && password !== undefined ? { username, password } : undefined;
  const grant_type = account ? 'password' : 'client_credentials';
  return { url: `${baseOf(settings)}/oauth_token.do`, form: { grant_type, client_id, client_secret, ...account } };
}

/** Asks the Table API: references as plain sys_ids, JSON both ways. */
export function askTable(
  { settings, secrets, http }: Access,
  path: string,
  parameters: Readonly<Record<string, string>>,
  json?: JsonObject,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<AdapterResponse> {
  const query = new URLSearchParams({ ...parameters, sysparm_exclude_reference_link: 'true' });
  const { username = '', password = '', client_id } = secrets;
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return http.request({
    method: json === undefined ? 'GET' : method,
    url: `${baseOf(settings)}/api/now/table/${path}?${query.toString()}`,
    // With a client, the token is added on the way.
    headers: { ...(client_id === undefined && { authorization: basic }), accept: 'application/json' },
    ...(json !== undefined && { json }),
  });
}

/**
 * What an answer to a request that reads holds. A transaction that the instance cancels is answered with 200 and an
 * `error`, with or without a `result` beside it.
 * @throws PlatformAnswerError where the answer is an error, or no JSON
 */
export function resultIn(response: AdapterResponse, clock: Clock): Json | undefined {
  const answer = asObject(jsonOf(response, clock));
  if (hasError(response)) throw new PlatformAnswerError(CANCELLED);
  return answer?.['result'];
}

/** The records in the answer to a query. @throws PlatformAnswerError where the answer is something else */
export function recordsIn(response: AdapterResponse, clock: Clock): JsonObject[] {
  const result = resultIn(response, clock);
  if (!Array.isArray(result)) throw new PlatformAnswerError('The instance did not return a list of records.');
  return result.map(asObject).filter(record => record !== undefined);
}

/** Whether the answer tells of a failure, whatever its status and whatever else it holds. */
export function hasError(response: AdapterResponse): boolean {
  return (objectIn(response)?.['error'] ?? null) !== null;
}

/** Whether the query matched records of which the answer shows none: access rules filter them after the query has run. */
export function hidesRecords(response: AdapterResponse, shown: readonly JsonObject[]): boolean {
  return shown.length === 0 && /^[1-9]\d*$/.test(response.headers['x-total-count'] ?? '');
}

const CANCELLED = 'The instance canceled the request or failed while it handled it (an error in a successful answer).';

/** What the instance gives as its reason: `error.message`, and `error.detail` where it is there. */
export function reasonIn(response: AdapterResponse): string | undefined {
  const error = asObject(objectIn(response)?.['error']);
  const parts = [asText(error?.['message']), asText(error?.['detail'])].filter(part => part !== undefined);
  return parts.length > 0 ? parts.join(': ') : undefined;
}

/** A field's value; numbers as the text that they are elsewhere, a reference by its sys_id. */
export function fieldOf(record: JsonObject, name: string): string | undefined {
  const value: Json | undefined = asObject(record[name])?.['value'] ?? record[name];
  return typeof value === 'number' ? String(value) : asText(value);
}

/** A value for `sysparm_query`. A `^` would begin another term, and `javascript:` would run: undefined where it would. */
export function queryValue(text: string): string | undefined {
  const value = text.replaceAll('^', '').trim();
  return value === '' || /^javascript:/i.test(value) ? undefined : value;
}

/** The incident that a record is; undefined without a sys_id. */
export function refOf(record: JsonObject, settings: ServiceNowSettings): TicketRef | undefined {
  const platformId = fieldOf(record, 'sys_id');
  if (platformId === undefined) return undefined;
  const url = `${baseOf(settings)}/${tableOf(settings)}.do?sys_id=${encodeURIComponent(platformId.toWellFormed())}`;
  return { externalTicketId: fieldOf(record, 'number') ?? platformId, platformId, url };
}
