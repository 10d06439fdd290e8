import type { Json, JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import type { TableRecord } from '../../support/itsm/servicenow-query.js';
import { disturbance, failure, plainInstance, type InstanceConditions } from './conditions.js';
import { TokenEndpoint } from './oauth.js';
import { journalOr } from './records.js';
import { Tables } from './tables.js';

/** A ServiceNow instance with one account. A test may change its conditions. */
export interface Instance extends PlatformEndpoint {
  readonly account: { readonly username: string; readonly password: string };
  readonly tables: Tables;
  readonly conditions: InstanceConditions;
  /** The OAuth client of the instance, with its tokens. */
  readonly oauth: TokenEndpoint;
}

const ACCOUNT = { username: 'svc.governance', password: 'Correct-Horse:9' };

/**
 * Emulates the Table API of ServiceNow, based on its documentation (https://www.servicenow.com/docs, "Table API";
 * https://support.servicenow.com, KB0534905).
 */
export async function startInstance(options: Omit<EndpointOptions, 'behaviour'>): Promise<Instance> {
  const tables = new Tables();
  const conditions = plainInstance();
  const oauth = new TokenEndpoint(ACCOUNT);
  const perform = (request: PlatformRequest): PlatformAnswer => {
    const { method, url, headers } = request;
    if (url.pathname === '/oauth_token.do') return oauth.answer(request);
    const [, table = '', sysId] = /^\/api\/now(?:\/v\d)?\/table\/(\w+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    const disturbed = disturbance(conditions, method, table);
    if (disturbed) return disturbed;
    if (headers.authorization !== basic() && !oauth.knows(headers.authorization)) {
      return failure(401, 'User Not Authenticated', 'Required to provide Auth information');
    }
    if (!tables.has(table)) return failure(400, `Invalid table ${table}`);
    if (method === 'POST') return insert(table, request);
    if (method === 'PATCH' || method === 'PUT') return update(table, sysId ?? '', request);
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
    const record = tables.insert(table, given, ACCOUNT.username);
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
    const refusal = tables.update(record, conditions.keepsState ? others : fields, ACCOUNT.username);
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

  const platform = await startPlatform(options, perform);
  return Object.assign(platform, { account: ACCOUNT, tables, conditions, oauth });
}

const NO_RECORD = failure(404, 'No Record found', "Record doesn't exist or ACL restricts the record retrieval");

function basic(): string {
  return `Basic ${Buffer.from(`${ACCOUNT.username}:${ACCOUNT.password}`).toString('base64')}`;
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
