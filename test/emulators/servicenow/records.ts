import type { TableRecord } from './query.js';

/** Journal fields: each entry is stored separately, and the field itself is empty. */
const JOURNALS = new Set(['work_notes', 'comments']);

/** The states that the rules of a table use. */
export interface StateModel {
  /** States that require close code and notes. */
  readonly finished: readonly string[];
  /** Final states. */
  readonly ended: readonly string[];
}

/** See docs, "Incident state model", "Resolve an incident". */
export const INCIDENTS: StateModel = { finished: ['6'], ended: ['7', '8'] };

/** See docs, "Close security incidents", "Add closure information to a security incident". */
export const SECURITY_INCIDENTS: StateModel = { finished: ['3'], ended: ['3', '7'] };

/**
 * Changes a record as the Table API does. A journal field gets another entry. A resolved record needs close code and
 * notes. A closed or canceled record cannot be changed (docs, "Incident state model", "Resolve an incident"). Returns
 * the reason of a refusal; undefined if the record was changed.
 */
export function applyChange(
  record: TableRecord,
  fields: TableRecord,
  { by, at }: { by: string; at: string },
  { finished, ended }: StateModel = INCIDENTS,
): string | undefined {
  const { state = record['state'] } = fields;
  const isClosed = ended.includes(record['state'] ?? '');
  if (isClosed && state !== record['state']) return 'Operation aborted by business rule: closed records are read only';
  const closing = { ...record, ...fields };
  if (
    finished.includes(state ?? '') &&
    state !== record['state'] &&
    !(closing['close_code'] && closing['close_notes'])
  ) {
    return 'Data Policy Exception: The following fields are mandatory: Resolution code, Resolution notes';
  }
  for (const [name, value] of Object.entries(fields)) {
    if (!JOURNALS.has(name)) record[name] = value;
    else if (value !== '') record[name] = `${at} - ${by} (${name})\n${value}\n\n${record[name] ?? ''}`;
  }
  const active = state === undefined ? {} : { active: String(!ended.includes(state)) };
  const count = String(Number(record['sys_mod_count'] ?? '0') + 1);
  Object.assign(record, active, { sys_updated_on: at, sys_updated_by: by, sys_mod_count: count });
  return undefined;
}

/** The display value of a field. A journal has only a display value: all of its entries, newest first. */
export function journalOr(record: TableRecord, name: string, parameters: URLSearchParams): string {
  if (!JOURNALS.has(name)) return record[name] ?? '';
  return parameters.get('sysparm_display_value') === 'true' ? (record[name] ?? '') : '';
}
