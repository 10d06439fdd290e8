import type { Clock, Json, JsonObject } from '#core';
import type { TokenGrant } from '../../adapter/access-tokens.js';
import type { AdapterHttp, AdapterResponse } from '../../adapter/adapter-http.js';
import { asObject, asText, jsonOf, objectIn, PlatformAnswerError } from '../../adapter/platform-answer.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { tableOf, type ServiceNowSecrets, type ServiceNowSettings } from './connector.js';

/** Settings, secrets and HTTP client that requests need. */
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
 * The token request of a connector (https://www.servicenow.com/docs, "OAuth API request parameters", "Client
 * credentials grant"); undefined without an OAuth client. If the connector has an account, the client signs in as that
 * account. Otherwise, it signs in as the user of its application registry entry.
 */
export function grantOf({ settings, secrets }: Pick<Access, 'settings' | 'secrets'>): TokenGrant | undefined {
  const { username, password, client_id, client_secret } = secrets;
  if (client_id === undefined || client_secret === undefined) return undefined;
  const account = username !== undefined && password !== undefined ? { username, password } : undefined;
  const grant_type = account ? 'password' : 'client_credentials';
  return { url: `${baseOf(settings)}/oauth_token.do`, form: { grant_type, client_id, client_secret, ...account } };
}

/** Sends a JSON request to the Table API. In the answer, references are plain sys_ids. */
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
    // If the connector has an OAuth client, the HTTP client adds the token.
    headers: { ...(client_id === undefined && { authorization: basic }), accept: 'application/json' },
    ...(json !== undefined && { json }),
  });
}

/**
 * The result in an answer to a read request. If the instance cancels a transaction, it answers 200 with an `error`; a
 * `result` may be present, too.
 * @throws PlatformAnswerError if the answer is an error or not JSON
 */
export function resultIn(response: AdapterResponse, clock: Clock): Json | undefined {
  const answer = asObject(jsonOf(response, clock));
  if (hasError(response)) throw new PlatformAnswerError(CANCELLED);
  return answer?.['result'];
}

/** The records in the answer to a query. @throws PlatformAnswerError if the answer contains no list of records */
export function recordsIn(response: AdapterResponse, clock: Clock): JsonObject[] {
  const result = resultIn(response, clock);
  if (!Array.isArray(result)) throw new PlatformAnswerError('The instance did not return a list of records.');
  return result.map(asObject).filter(record => record !== undefined);
}

/** Whether the answer contains an error, regardless of its status and other content. */
export function hasError(response: AdapterResponse): boolean {
  return (objectIn(response)?.['error'] ?? null) !== null;
}

/**
 * Whether access rules hide all records that the query matched. The instance applies them after it has run the query.
 */
export function hidesRecords(response: AdapterResponse, shown: readonly JsonObject[]): boolean {
  return shown.length === 0 && /^[1-9]\d*$/.test(response.headers['x-total-count'] ?? '');
}

const CANCELLED = 'The instance canceled the request or failed while it handled it (an error in a successful answer).';

/** The instance's error message: `error.message`, and `error.detail` if there is one. */
export function reasonIn(response: AdapterResponse): string | undefined {
  const error = asObject(objectIn(response)?.['error']);
  const parts = [asText(error?.['message']), asText(error?.['detail'])].filter(part => part !== undefined);
  return parts.length > 0 ? parts.join(': ') : undefined;
}

/** A field's value as text. A number is converted, and a reference becomes its sys_id. */
export function fieldOf(record: JsonObject, name: string): string | undefined {
  const value: Json | undefined = asObject(record[name])?.['value'] ?? record[name];
  return typeof value === 'number' ? String(value) : asText(value);
}

/**
 * Converts a text to a value for `sysparm_query`. Undefined if the text is not safe: `^` begins another term, and
 * `javascript:` is executed.
 */
export function queryValue(text: string): string | undefined {
  const value = text.replaceAll('^', '').trim();
  return value === '' || /^javascript:/i.test(value) ? undefined : value;
}

/** Reference to the incident in a record; undefined if the record has no sys_id. */
export function refOf(record: JsonObject, settings: ServiceNowSettings): TicketRef | undefined {
  const platformId = fieldOf(record, 'sys_id');
  if (platformId === undefined) return undefined;
  const url = `${baseOf(settings)}/${tableOf(settings)}.do?sys_id=${encodeURIComponent(platformId.toWellFormed())}`;
  return { externalTicketId: fieldOf(record, 'number') ?? platformId, platformId, url };
}
