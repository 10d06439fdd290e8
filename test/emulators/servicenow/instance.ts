import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import type { TableRecord } from './query.js';
import { halfCharacters } from '../../support/itsm/half-characters.js';
import { disturbable, type Disturbable } from '../disturbances.js';
import { disturbance, failure, plainInstance, type InstanceConditions } from './conditions.js';
import { TokenEndpoint } from './oauth.js';
import { journalOr } from './records.js';
import { Tables } from './tables.js';

export interface InstanceOptions extends Omit<EndpointOptions, 'behaviour'> {
  /** Default: an account of this file. */
  readonly account?: Instance['account'];
  /**
   * Whether `close` rejects if a client sent a request that a real instance accepts, but that no client should send.
   * Default: true.
   */
  readonly isStrict?: boolean;
  /** The clock of the instance. Default: each change advances it by a second. */
  readonly now?: () => Date;
}

/** An operation that a test can disturb: on a ticket, or a search in another table. */
export type InstanceOperation = 'create' | 'change' | 'search' | 'show' | 'lookup' | 'token';

/** A ServiceNow instance with one account. A test may change its conditions. */
export interface Instance extends PlatformEndpoint, Disturbable<InstanceOperation> {
  readonly account: { readonly username: string; readonly password: string };
  readonly tables: Tables;
  /** The records of `incident` and `sys_user_group`. */
  readonly incidents: TableRecord[];
  readonly groups: TableRecord[];
  /** Requests that a real instance accepts, and what it ignores or truncates without an error. */
  readonly complaints: readonly string[];
  readonly conditions: InstanceConditions;
  /** The OAuth client of the instance, with its tokens. */
  readonly oauth: TokenEndpoint;
  /** Adds a group. Returns its sys_id. */
  addGroup(name: string, active?: boolean): string;
  /** Closes the instance. Rejects with the complaints, if there are any and the instance is strict. */
  close(): Promise<void>;
}

const ACCOUNT = { username: 'svc.governance', password: 'Correct-Horse:9' };

/**
 * Emulates the Table API of ServiceNow, based on its documentation (https://www.servicenow.com/docs, "Table API";
 * https://support.servicenow.com, KB0534905).
 */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { account = ACCOUNT, isStrict = true, now, ...endpoint } = options;
  const tables = new Tables();
  tables.now = now;
  const complaints = tables.losses;
  const conditions = plainInstance();
  const oauth = new TokenEndpoint(account);
  const perform = (request: PlatformRequest): PlatformAnswer => {
    const { method, url, headers } = request;
    if (url.pathname === '/oauth_token.do') return oauth.answer(request);
    const [, table = '', sysId] = TABLE.exec(url.pathname) ?? [];
    const disturbed = disturbance(conditions, method, table);
    if (disturbed) return disturbed;
    if (headers.authorization !== basic(account) && !oauth.knows(headers.authorization)) return STRANGER;
    if (!tables.has(table)) return failure(400, `Invalid table ${table}`);
    const refusal = formatRefusal(request);
    if (refusal) return refusal;
    complaints.push(...complaintsAbout(request, sysId));
    if (method === 'POST') return sysId === undefined ? insert(table, request) : NO_METHOD;
    if (method === 'PATCH' || method === 'PUT') return sysId === undefined ? NO_METHOD : update(table, sysId, request);
    if (method !== 'GET') return NO_METHOD;
    return sysId === undefined ? list(table, url) : show(table, sysId, url);
  };

  const insert = (table: string, { json, url }: PlatformRequest): PlatformAnswer => {
    const given = recordIn(json);
    if (!given) return failure(400, 'Exception while reading request');
    if (!conditions.mayWrite) return failure(403, 'Operation Failed', 'ACL Exception Insert Failed due to security');
    const missing = Object.entries(conditions.mandatory).flatMap(([name, label]) => (given[name] ? [] : [label]));
    if (missing.length > 0) {
      const detail = `Data Policy Exception: The following fields are mandatory: ${missing.join(', ')}`;
      return failure(403, 'Operation Failed', detail);
    }
    const record = tables.insert(table, given, account.username);
    const isHidden = conditions.hiddenTables.has(table);
    // If the account may not read the new record, the answer has no fields (KB3047115, "201 Created with Empty Body").
    return { status: 201, json: { result: isHidden ? {} : shown(record, url) } };
  };

  const update = (table: string, sysId: string, { json, url }: PlatformRequest): PlatformAnswer => {
    const [record, fields] = [recordOf(table, sysId), recordIn(json)];
    if (!record) return NO_RECORD;
    if (!fields) return failure(400, 'Exception while reading request');
    if (!conditions.mayWrite) return failure(403, 'Operation Failed', 'ACL Exception Update Failed due to security');
    const { state: _state, ...others } = fields;
    const refusal = tables.update(record, conditions.keepsState ? others : fields, account.username);
    if (refusal !== undefined) return failure(403, 'Operation Failed', refusal);
    return { status: 200, json: { result: shown(record, url) } };
  };

  const list = (table: string, url: URL): PlatformAnswer => {
    const query = url.searchParams.get('sysparm_query') ?? '';
    const all = conditions.maySort || !needsRange(query) ? tables.query(table, query) : [];
    const [offset, limit] = [numberIn(url, 'sysparm_offset', 0), numberIn(url, 'sysparm_limit', 10_000)];
    const isHidden = conditions.hiddenTables.has(table);
    const page = isHidden ? [] : all.slice(offset, offset + limit);
    const total = isHidden && !conditions.countsHiddenRows ? 0 : all.length;
    return {
      status: 200,
      headers: { 'x-total-count': String(total) },
      json: { result: page.map(record => shown(record, url)) },
    };
  };

  const show = (table: string, sysId: string, url: URL): PlatformAnswer => {
    const record = recordOf(table, sysId);
    return record ? { status: 200, json: { result: shown(record, url) } } : NO_RECORD;
  };

  /** Finds a record. A record that the account may not read counts as missing, so the answer is 404. */
  const recordOf = (table: string, sysId: string): TableRecord | undefined =>
    conditions.hiddenTables.has(table) ? undefined : tables.of(table).find(each => each['sys_id'] === sysId);

  const platform = disturbable(await startPlatform(endpoint, perform), operationOf);
  const closeEndpoint = platform.close.bind(platform);
  const [incidents, groups] = [tables.of('incident'), tables.of('sys_user_group')];
  return Object.assign(platform, {
    ...{ account, tables, incidents, groups, complaints, conditions, oauth },
    addGroup: (name: string, active = true) => {
      const sysId = randomUUID().replaceAll('-', '');
      groups.push({ sys_id: sysId, name, active: String(active) });
      return sysId;
    },
    close: async () => {
      await closeEndpoint();
      if (isStrict && complaints.length > 0) throw new Error(`The instance complains:\n${complaints.join('\n')}`);
    },
  });
}

const TABLE = /^\/api\/now(?:\/v\d)?\/table\/(\w+)(?:\/([^/]+))?$/;

function operationOf({ method, url }: PlatformRequest): InstanceOperation | undefined {
  if (url.pathname === '/oauth_token.do') return 'token';
  const [, table, sysId] = TABLE.exec(url.pathname) ?? [];
  if (table === undefined) return undefined;
  if (method === 'POST') return 'create';
  if (method === 'PATCH' || method === 'PUT') return 'change';
  if (table !== 'incident' && table !== 'sn_si_incident') return 'lookup';
  return sysId === undefined ? 'search' : 'show';
}

/** The refusal of media types, and of texts that are not Unicode. */
function formatRefusal({ method, headers, json }: PlatformRequest): PlatformAnswer | undefined {
  if (!/(^|[ ,])(application\/json|\*\/\*)/.test(headers.accept ?? '*/*')) return failure(406, 'Not Acceptable');
  if (method === 'GET') return undefined;
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return failure(415, 'Unsupported Media Type');
  const [half] = json === undefined ? [] : halfCharacters(json);
  return half === undefined
    ? undefined
    : failure(400, 'Exception while reading request', `${half} has half a character`);
}

const OUTPUT = ['sysparm_fields', 'sysparm_exclude_reference_link', 'sysparm_display_value'];
const LIST = ['sysparm_query', 'sysparm_limit', 'sysparm_offset'];

/** What an instance answers, but no client should send. */
function complaintsAbout({ method, url, json }: PlatformRequest, sysId: string | undefined): string[] {
  const isList = method === 'GET' && sysId === undefined;
  const known = isList ? [...OUTPUT, ...LIST] : OUTPUT;
  const strange = [...url.searchParams.keys()].filter(name => !known.includes(name));
  const title = recordIn(json)?.['short_description'] ?? '';
  return [
    ...strange.map(name => `${method} ignores the parameter ${name}`),
    ...(isList && !url.searchParams.has('sysparm_limit') ? [UNLIMITED] : []),
    ...(/[\r\n]/.test(title) ? ['short_description has a line break'] : []),
  ];
}

const UNLIMITED = 'a query without sysparm_limit returns up to 10,000 records';
const STRANGER: PlatformAnswer = {
  ...failure(401, 'User Not Authenticated', 'Required to provide Auth information'),
  headers: { 'www-authenticate': 'BASIC realm="Service-now"' },
};
const NO_METHOD = failure(405, 'Method not supported');

const NO_RECORD = failure(404, 'No Record found', "Record doesn't exist or ACL restricts the record retrieval");

function basic({ username, password }: Instance['account']): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/**
 * Whether a query needs range access. Sorting, comparing and searching within texts need it; tests for equality and
 * emptiness do not.
 */
function needsRange(query: string): boolean {
  return /(^|\^)ORDERBY|LIKE|STARTSWITH|ENDSWITH|[<>]/.test(query);
}

function numberIn({ searchParams }: URL, name: string, otherwise: number): number {
  const value = Number(searchParams.get(name) ?? otherwise);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
}

/** The requested fields. References are links, unless the request excludes them (sysparm_exclude_reference_link). */
function shown(record: TableRecord, { searchParams, origin }: URL): JsonObject {
  const names = searchParams.get('sysparm_fields')?.split(',') ?? Object.keys(record);
  const isPlain = searchParams.get('sysparm_exclude_reference_link') === 'true';
  return Object.fromEntries(
    names
      .filter(name => name in record)
      .map((name): [string, Json] => {
        const value = journalOr(record, name, searchParams);
        if (isPlain || value === '' || name !== 'assignment_group') return [name, value];
        return [name, { link: `${origin}/api/now/table/sys_user_group/${value}`, value }];
      }),
  );
}

/** The fields of a body as texts; undefined if it is not an object. */
function recordIn(json: Json | undefined): TableRecord | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
