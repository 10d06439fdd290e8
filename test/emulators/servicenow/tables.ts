import { randomUUID } from 'node:crypto';
import { applyChange, INCIDENTS, SECURITY_INCIDENTS } from './records.js';
import { runQuery, type TableRecord } from '../../support/itsm/servicenow-query.js';

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

  /** Inserts a record. Silently ignores fields that the table does not have, as the Table API does. */
  insert(table: string, given: TableRecord, by: string): TableRecord {
    const columns = COLUMNS[table] ?? new Set();
    const kept = Object.fromEntries(Object.entries(given).filter(([name]) => columns.has(name)));
    const all = this.of(table);
    const now = this.stamp();
    const record: TableRecord = {
      ...{ state: FIRST_STATES[table] ?? '1', active: 'true', urgency: '3', impact: '3', ...kept },
      sys_id: randomUUID().replaceAll('-', ''),
      number: `${PREFIXES[table] ?? ''}${String(10_001 + all.length).padStart(7, '0')}`,
      ...{ sys_created_on: now, sys_updated_on: now, sys_updated_by: by, sys_mod_count: '0' },
    };
    all.push(record);
    return record;
  }

  /** Changes a record. Returns the reason of a refusal; undefined if the record was changed. */
  update(record: TableRecord, fields: TableRecord, by: string): string | undefined {
    const isSecurity = this.of('sn_si_incident').includes(record);
    return applyChange(record, fields, { by, at: this.stamp() }, isSecurity ? SECURITY_INCIDENTS : INCIDENTS);
  }

  /** Advances by one second on each call, so that the times of rows differ. */
  private stamp(): string {
    this.seconds += 1;
    const at = this.now?.() ?? new Date(Date.UTC(2026, 10, 20, 10, 0, this.seconds));
    return at.toISOString().slice(0, 19).replace('T', ' ');
  }
}
