import { randomUUID } from 'node:crypto';
import { applyChange, INCIDENTS, SECURITY_INCIDENTS } from './records.js';
import { runQuery, type TableRecord } from './query.js';

/** Columns of `task`, which incidents and security incidents extend. Only those that integrations use. */
const TASK = [
  ...['sys_id', 'number', 'short_description', 'description', 'urgency', 'impact', 'priority', 'state', 'active'],
  ...['correlation_id', 'correlation_display', 'assignment_group', 'caller_id', 'category', 'u_region'],
  ...['close_code', 'close_notes', 'work_notes', 'comments'],
  ...['sys_created_on', 'sys_updated_on', 'sys_updated_by', 'sys_mod_count'],
];

const COLUMNS: Readonly<Record<string, ReadonlySet<string>>> = {
  incident: new Set(TASK),
  sn_si_incident: new Set(TASK),
  sys_user_group: new Set(['sys_id', 'name', 'active']),
  sys_db_object: new Set(['name', 'super_class.name']),
  sys_dictionary: new Set(['name', 'element']),
};

/** The metadata of the tables: each with its parent, and the columns at the table that declares them. */
const METADATA: Readonly<Record<string, readonly TableRecord[]>> = {
  sys_db_object: ['incident', 'sn_si_incident'].map(name => ({ name, 'super_class.name': 'task' })),
  sys_dictionary: [
    ...TASK.filter(element => element !== 'caller_id').map(element => ({ name: 'task', element })),
    { name: 'incident', element: 'caller_id' },
    { name: 'problem', element: 'known_error' },
  ],
};

/**
 * The columns that are as long as their dictionary says. The database truncates longer values without an error. Columns
 * of more than 255 characters have no such limit: `description` may be longer than its 4,000 characters
 * (https://support.servicenow.com/kb?id=kb_article_view&sysparm_article=KB0685779). The emulator counts UTF-16 units,
 * which is the strictest reading.
 */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ short_description: 160, correlation_id: 100, correlation_display: 100, assignment_group: 32, number: 40 },
  ...{ close_code: 40, category: 40, urgency: 40, impact: 40 },
};

/** The priority for each impact and urgency (docs, "Data lookup rules", "Priority data lookups"). */
const PRIORITIES = [
  ['1', '2', '3'],
  ['2', '3', '4'],
  ['3', '4', '5'],
] as const;

const PREFIXES: Readonly<Record<string, string>> = { incident: 'INC', sn_si_incident: 'SIR', sys_user_group: '' };

/**
 * Security incidents begin as drafts (docs, "Create a security incident from the Security Incident list"); their states are
 * Draft 10, Analysis 16, Contain 18, Eradicate 19, Recover 20, Review 100, Closed 3 and Cancelled 7.
 */
const FIRST_STATES: Readonly<Record<string, string>> = { sn_si_incident: '10' };

/** The tables of an instance. */
export class Tables {
  private readonly rows = new Map(Object.keys(COLUMNS).map(name => [name, [...(METADATA[name] ?? [])]]));
  private seconds = 0;
  /** The clock of the instance. Default: each change advances it by a second. */
  now: (() => Date) | undefined;
  /** Parts of requests that the instance has ignored or truncated. */
  readonly losses: string[] = [];

  has(table: string): boolean {
    return this.rows.has(table);
  }

  of(table: string): TableRecord[] {
    return this.rows.get(table) ?? [];
  }

  /** Runs an encoded query. Without an order, rows come in the order of the database: oldest first. */
  query(table: string, query: string): TableRecord[] {
    return runQuery(this.of(table), query, COLUMNS[table] ?? new Set());
  }

  /** Inserts a record. */
  insert(table: string, given: TableRecord, by: string): TableRecord {
    const kept = this.kept(table, given);
    const all = this.of(table);
    const now = this.stamp();
    const record: TableRecord = {
      // A record has all columns of its table. Those without a value are empty.
      ...Object.fromEntries(Array.from(COLUMNS[table] ?? [], name => [name, ''])),
      ...{ state: FIRST_STATES[table] ?? '1', active: 'true', urgency: '3', impact: '3', ...kept },
      sys_id: randomUUID().replaceAll('-', ''),
      number: `${PREFIXES[table] ?? ''}${String(10_001 + all.length).padStart(7, '0')}`,
      ...{ sys_created_on: now, sys_updated_on: now, sys_updated_by: by, sys_mod_count: '0' },
    };
    if (table === 'incident') prioritize(record);
    all.push(record);
    return record;
  }

  /** Changes a record. Returns the reason of a refusal; undefined if the record was changed. */
  update(record: TableRecord, fields: TableRecord, by: string): string | undefined {
    const isSecurity = this.of('sn_si_incident').includes(record);
    const kept = this.kept(isSecurity ? 'sn_si_incident' : 'incident', fields);
    const refusal = applyChange(record, kept, { by, at: this.stamp() }, isSecurity ? SECURITY_INCIDENTS : INCIDENTS);
    if (refusal === undefined && !isSecurity) prioritize(record);
    return refusal;
  }

  /** Changes an incident as a person with every right does: without the rules of the instance. */
  change(sysId: string, fields: TableRecord): void {
    const record = this.of('incident').find(each => each['sys_id'] === sysId);
    if (!record) throw new Error(`there is no incident ${sysId}`);
    const { state } = fields;
    const active = state === undefined ? {} : { active: String(!INCIDENTS.ended.includes(state)) };
    const count = String(Number(record['sys_mod_count']) + 1);
    const changed = { sys_updated_by: 'abel.tuter', sys_updated_on: this.stamp(), sys_mod_count: count };
    Object.assign(record, changed, active, fields);
  }

  /**
   * The part of the fields that the instance stores, as the Table API does without an error: no fields that the table
   * lacks, texts up to the length of their column, and no reference to a missing group.
   */
  private kept(table: string, given: TableRecord): TableRecord {
    const columns = COLUMNS[table] ?? new Set();
    const unknown = Object.keys(given).filter(name => !columns.has(name));
    this.losses.push(...unknown.map(name => `${table} has no field ${name}`));
    const known = Object.entries(given).filter(([name]) => columns.has(name));
    return Object.fromEntries(known.map(([name, value]) => [name, this.stored(name, value)]));
  }

  private stored(name: string, value: string): string {
    const most = LENGTHS[name] ?? Infinity;
    if (value.length > most) this.losses.push(`${name} was truncated to ${most} of ${value.length} characters`);
    const isMissing =
      name === 'assignment_group' && !this.of('sys_user_group').some(group => group['sys_id'] === value);
    return isMissing ? '' : value.slice(0, most).toWellFormed();
  }

  /** Advances by one second on each call, so that the times of rows differ. */
  private stamp(): string {
    this.seconds += 1;
    const at = this.now?.() ?? new Date(Date.UTC(2026, 10, 20, 10, 0, this.seconds));
    return at.toISOString().slice(0, 19).replace('T', ' ');
  }
}

/** Computes the priority of an incident. */
function prioritize(record: TableRecord): void {
  const [impact, urgency] = [Number(record['impact']), Number(record['urgency'])];
  record['priority'] = PRIORITIES[impact - 1]?.[urgency - 1] ?? '5';
}
