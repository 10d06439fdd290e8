import type { JsonObject } from '#core';
import { startInstance } from '../../../emulators/servicenow/instance.js';
import type { Authority } from '../../../support/certificates.js';
import type { TableRecord } from '../../../emulators/servicenow/query.js';
import { EDITED, type PersonAction, type PlatformWithPeople, type PlatformTicket } from './platform-with-people.js';

/** ServiceNow with changes by people. */
export async function startServiceNowWithPeople(authority: Authority, now: () => Date): Promise<PlatformWithPeople> {
  const instance = await startInstance({ authority });
  instance.tables.now = now;
  return {
    kind: 'servicenow',
    endpoint: instance,
    connector: { kind: 'servicenow', settings: { instance_url: instance.origin }, secrets: instance.account },
    priorities: { critical: '1-1', high: '2-2', medium: '2-3', low: '3-3' },
    tickets: () => instance.tables.of('incident').map(shown),
    ticket: id => shownIf(instance.tables.of('incident').find(each => each['sys_id'] === id)),
    newest: () => shownIf(instance.tables.of('incident').at(-1)),
    idOf: ({ url }) => /\/table\/incident\/([^/]+)$/.exec(url.pathname)?.[1],
    act: (action, id) => {
      const record = instance.tables.of('incident').find(each => each['sys_id'] === id);
      const fields = record && fieldsFor(record, action);
      if (!record || !fields || instance.tables.update(record, fields, 'abel.tuter') !== undefined) return false;
      return { body: reportOf(record) };
    },
    writes: ({ method }) => method !== 'GET',
    creates: ({ method }) => method === 'POST',
  };
}

function fieldsFor(record: TableRecord, action: PersonAction): TableRecord | undefined {
  const isOver = ['6', '7', '8'].includes(record['state'] ?? '');
  const isOfStatus = action !== 'prioritize' && action !== 'edit';
  if (action === 'move' || (isOfStatus && isOver !== (action === 'reopen' || action === 'close'))) return undefined;
  if (record['state'] === '7') return undefined;
  const notes = { close_notes: 'Looked at it.' };
  switch (action) {
    case 'start':
      return { state: '2' };
    case 'reopen':
      return { state: '2', close_code: '', close_notes: '' };
    case 'resolve':
      return { state: '6', close_code: 'Solution provided', ...notes };
    case 'decline':
      return { state: '6', close_code: 'Not Solved (Too Costly)', ...notes };
    case 'close':
      return { state: '7' };
    case 'edit':
      return { short_description: `${record['short_description']}${EDITED}` };
    case 'prioritize':
      return { urgency: '3', impact: '2' };
  }
}

function reportOf(record: TableRecord): JsonObject {
  const names = ['number', 'sys_id', 'state', 'active', 'close_code', 'close_notes', 'sys_updated_by'];
  const more = ['sys_updated_on', 'sys_mod_count'];
  return { table: 'incident', ...Object.fromEntries([...names, ...more].map(name => [name, record[name] ?? ''])) };
}

function shownIf(record: TableRecord | undefined): PlatformTicket | undefined {
  return record && shown(record);
}

function shown(record: TableRecord): PlatformTicket {
  const { state = '', close_code: code = '' } = record;
  const isOver = ['6', '7', '8'].includes(state);
  const entries = (record['work_notes'] ?? '').split('\n\n').filter(entry => entry !== '');
  return {
    ...{ id: record['sys_id'] ?? '', name: record['number'] ?? '', key: record['correlation_id'] ?? '', isOver },
    status: `${state} ${code}`,
    title: record['short_description'] ?? '',
    isFinal: state === '7' || state === '8' || (isOver && code.includes('Too Costly')),
    priority: `${record['urgency']}-${record['impact']}`,
    texts: entries.toReversed().map(text => ({ text, at: Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) })),
  };
}
