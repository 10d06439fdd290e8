import { randomUUID } from 'node:crypto';
import type { Json } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import type { EndpointOptions } from '../https-endpoint.js';
import { halfCharacters } from './half-characters.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from './platform-endpoint.js';
import { applyChange, journalOr } from '../../emulators/servicenow/records.js';
import { runQuery, type TableRecord } from './servicenow-query.js';

export interface ServiceNowOptions extends Omit<EndpointOptions, 'behaviour'> {
  username: string;
  password: string;
}

/** A ServiceNow instance with its Table API. It accepts fewer requests than a real instance. */
export interface ServiceNowEmulator extends PlatformEndpoint {
  readonly incidents: TableRecord[];
  readonly groups: TableRecord[];
  /** Requests that a real instance may accept, but that no adapter should send. Tests expect none of these. */
  readonly complaints: string[];
  /** Closes the emulator. Rejects with the complaints, if there are any. */
  closeContent(): Promise<void>;
  addGroup(name: string, active?: boolean): string;
  /** Changes a record as a person would. */
  change(sysId: string, fields: TableRecord): void;
}

const READ_PARAMETERS = ['sysparm_query', 'sysparm_fields', 'sysparm_limit', 'sysparm_exclude_reference_link'];
const LENGTHS: Record<string, number> = {
  ...{
    short_description: 160,
    description: 4_000,
    correlation_id: 100,
    correlation_display: 100,
    assignment_group: 32,
  },
};
const CHOICES: Record<string, readonly string[]> = { urgency: ['1', '2', '3'], impact: ['1', '2', '3'] };
const WRITABLE = new Set([...Object.keys(LENGTHS), ...Object.keys(CHOICES)]);
/** The fields that a program may change in an existing record. */
const CHANGEABLE = new Set(['state', 'close_code', 'close_notes', 'work_notes', 'urgency', 'impact']);
const OWN = [
  'sys_id',
  'number',
  'state',
  'active',
  'priority',
  'close_code',
  'close_notes',
  'work_notes',
  'sys_created_on',
];
const COLUMNS: Record<string, ReadonlySet<string>> = {
  incident: new Set([...WRITABLE, ...OWN, 'sys_updated_on', 'sys_updated_by', 'sys_mod_count']),
  sys_user_group: new Set(['sys_id', 'name', 'active']),
};

/** The priority for each impact and urgency, with the default values of an instance. */
const PRIORITY = [
  ['1', '2', '3'],
  ['2', '3', '4'],
  ['3', '4', '5'],
] as const;

export async function startServiceNow(options: ServiceNowOptions): Promise<ServiceNowEmulator> {
  const { username, password, ...endpoint } = options;
  const account = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const tables: Record<string, TableRecord[]> = { incident: [], sys_user_group: [] };
  const [incidents, groups] = [tables['incident'] ?? [], tables['sys_user_group'] ?? []];
  const complaints: string[] = [];

  function refuse(status: number, message: string, detail: string | null = null): PlatformAnswer {
    return { status, json: { error: { message, detail }, status: 'failure' } };
  }

  function complain(what: string): PlatformAnswer {
    complaints.push(what);
    return refuse(400, 'Bad Request', what);
  }

  function perform(request: PlatformRequest): PlatformAnswer {
    const { method, url, headers } = request;
    if (headers.authorization !== account) {
      const refused = refuse(401, 'User Not Authenticated', 'Required to provide Auth information');
      return { ...refused, headers: { 'www-authenticate': 'BASIC realm="Service-now"' } };
    }
    const [, table = '', sysId] = /^\/api\/now\/table\/(\w+)(?:\/([^/]*))?$/.exec(url.pathname) ?? [];
    if (!Object.hasOwn(tables, table)) return refuse(400, `Invalid table ${table}`);
    if (headers.accept !== 'application/json') return complain(`accept: ${headers.accept}`);
    if (method === 'POST' && table === 'incident' && sysId === undefined) return create(request);
    if (method === 'PATCH' && table === 'incident' && sysId !== undefined) return patch(sysId, request);
    if (method !== 'GET') return complain(`${method} ${url.pathname}`);
    return sysId === undefined ? list(table, url) : show(table, sysId, url);
  }

  function create({ url, headers, json }: PlatformRequest): PlatformAnswer {
    const strange = strangeIn(url, ['sysparm_fields', 'sysparm_exclude_reference_link']);
    if (strange) return complain(strange);
    if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return complain('content-type');
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return complain('the body is no object');
    const [half] = halfCharacters(json);
    if (half !== undefined) return complain(`${half} has half a character`);
    const fault = Object.entries(json)
      .map(([name, value]) => faultOf(name, value))
      .find(Boolean);
    if (fault) return complain(fault);
    // The cast is safe, because each field was validated above.
    const given = json as TableRecord;
    if (!given['short_description']) {
      return refuse(403, 'Operation Failed', 'Data Policy Exception: Short description is mandatory');
    }
    return { status: 201, json: { result: shown(insert(given), url) } };
  }

  function patch(sysId: string, { url, json }: PlatformRequest): PlatformAnswer {
    const strange = strangeIn(url, ['sysparm_fields', 'sysparm_exclude_reference_link']);
    if (strange) return complain(strange);
    const incident = incidents.find(each => each['sys_id'] === sysId);
    if (!incident) return refuse(404, 'No Record found', "Record doesn't exist or ACL restricts the record retrieval");
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return complain('the body is no object');
    const fault = Object.entries(json).find(([name, value]) => !CHANGEABLE.has(name) || typeof value !== 'string');
    if (fault) return complain(`field ${fault[0]}`);
    // Each field was validated above.
    const refusal = applyChange(incident, json as TableRecord, { by: username, at: stamp() });
    return refusal ? refuse(403, 'Operation Failed', refusal) : { status: 200, json: { result: shown(incident, url) } };
  }

  function insert(given: TableRecord): TableRecord {
    const [urgency, impact] = [given['urgency'] ?? '3', given['impact'] ?? '3'];
    const now = stamp();
    const isGroup = groups.some(group => group['sys_id'] === given['assignment_group']);
    const incident: TableRecord = {
      ...{ ...given, urgency, impact, assignment_group: (isGroup && given['assignment_group']) || '' },
      ...{ sys_id: newSysId(), number: `INC${String(10_001 + incidents.length).padStart(7, '0')}` },
      ...{ state: '1', active: 'true', priority: PRIORITY[Number(impact) - 1]?.[Number(urgency) - 1] ?? '5' },
      ...{ close_code: '', close_notes: '', sys_mod_count: '0', sys_updated_by: username },
      ...{ sys_created_on: now, sys_updated_on: now },
    };
    incidents.push(incident);
    return incident;
  }

  function list(table: string, url: URL): PlatformAnswer {
    const strange = strangeIn(url, READ_PARAMETERS);
    if (strange) return complain(strange);
    const limit = url.searchParams.get('sysparm_limit');
    if (limit === null) return complain('a query without sysparm_limit returns up to 10,000 records');
    const all = runQuery(tables[table] ?? [], url.searchParams.get('sysparm_query') ?? '', COLUMNS[table] ?? new Set());
    return { status: 200, json: { result: all.slice(0, Number(limit)).map(record => shown(record, url)) } };
  }

  function show(table: string, sysId: string, url: URL): PlatformAnswer {
    const known = ['sysparm_fields', 'sysparm_exclude_reference_link', 'sysparm_display_value'];
    const strange = strangeIn(url, known);
    if (strange) return complain(strange);
    const record = tables[table]?.find(each => each['sys_id'] === sysId);
    if (!record) return refuse(404, 'No Record found', "Record doesn't exist or ACL restricts the record retrieval");
    return { status: 200, json: { result: shown(record, url) } };
  }

  const platform = await startPlatform(endpoint, perform);

  function shown(record: TableRecord, { searchParams, origin }: URL): Record<string, Json> {
    const names = searchParams.get('sysparm_fields')?.split(',') ?? Object.keys(record);
    const link = (value: string): Json => ({ link: `${origin}/api/now/table/sys_user_group/${value}`, value });
    const isPlain = searchParams.get('sysparm_exclude_reference_link') === 'true';
    return Object.fromEntries(
      names
        .filter(name => name in record)
        .map(name => {
          const value = journalOr(record, name, searchParams);
          return [name, name === 'assignment_group' && value !== '' && !isPlain ? link(value) : value];
        }),
    );
  }

  return Object.assign(platform, {
    ...{ incidents, groups, complaints },
    closeContent: async () => {
      await platform.close();
      if (complaints.length > 0) throw new Error(`the instance complains: ${complaints.join('; ')}`);
    },
    addGroup: (name: string, active = true) => {
      const sysId = newSysId();
      groups.push({ sys_id: sysId, name, active: String(active) });
      return sysId;
    },
    change: (sysId: string, fields: TableRecord) => {
      const incident = incidents.find(each => each['sys_id'] === sysId);
      if (!incident) throw new Error(`there is no incident ${sysId}`);
      // Closed and canceled incidents are no longer active.
      const active = fields['state'] === undefined ? {} : { active: String(!['7', '8'].includes(fields['state'])) };
      Object.assign(incident, { sys_updated_by: 'abel.tuter', sys_updated_on: stamp(), ...active, ...fields });
    },
  });
}

/** The first parameter that no adapter needs, if any. */
function strangeIn({ searchParams }: URL, known: readonly string[]): string | undefined {
  const strange = [...searchParams.keys()].find(name => !known.includes(name));
  return strange && `parameter ${strange}`;
}

function faultOf(name: string, value: Json | undefined): string | undefined {
  if (!WRITABLE.has(name)) return `field ${name}`;
  if (typeof value !== 'string') return `${name} is no text`;
  if (CHOICES[name] && !CHOICES[name].includes(value)) return `${name} cannot be ${value}`;
  if (value.length > (LENGTHS[name] ?? Infinity)) return `${name} has ${value.length} characters`;
  if (name === 'short_description' && /[\r\n]/.test(value)) return `${name} has a line break`;
  if (name === 'assignment_group' && !/^[0-9a-f]{32}$/.test(value)) return `${name} is no sys_id`;
  return undefined;
}

function newSysId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The current time in the instance's format. */
function stamp(): string {
  return new Date().toISOString().slice(0, 19).replace('T', ' ');
}
