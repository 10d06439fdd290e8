import type { JsonObject } from '#core';
import { asObject } from '#itsm';
import { startSite, type Site } from '../../emulators/jira/site.js';
import type { Issue } from '../../emulators/jira/issues.js';
import { startInstance } from '../../emulators/servicenow/instance.js';
import { transit } from '../../emulators/jira/life.js';
import type { Authority } from '../../support/certificates.js';
import { adfTexts } from '../../support/itsm/adf-texts.js';
import type { PlatformEndpoint } from '../../support/itsm/platform-endpoint.js';
import type { TableRecord } from '../../support/itsm/servicenow-query.js';

/** What people do with a ticket. */
export type Deed = 'start' | 'resolve' | 'decline' | 'close' | 'reopen' | 'prioritize' | 'move';

/** A ticket as its platform has it. */
export interface PlatformTicket {
  /** Never changes. */
  readonly id: string;
  readonly name: string;
  /** Keys under which the service created it. */
  readonly key: string;
  readonly text: string;
  readonly isOver: boolean;
  /** Ended so that it must not be reopened. */
  readonly isFinal: boolean;
  readonly priority: string;
  /** Texts that the service added, the oldest first. */
  readonly texts: readonly { readonly text: string; readonly at: number }[];
}

/** A platform that people work on. */
export interface LivedPlatform {
  readonly kind: 'jira' | 'servicenow';
  readonly endpoint: PlatformEndpoint;
  readonly connector: { kind: string; settings: object; secrets: object };
  /** By severity, as the service sets them. */
  readonly priorities: Readonly<Record<string, string>>;
  tickets(): PlatformTicket[];
  /** Does it, and returns the report that the platform sends of it. False where the ticket is not in that state. */
  does(deed: Deed, id: string): { body: JsonObject } | false;
}

export async function startLivedJira(authority: Authority, now: () => Date): Promise<LivedPlatform> {
  const site = await startSite({ authority });
  site.issues.now = now;
  site.conditions.requiresResolution = true;
  let moved = 0;
  return {
    kind: 'jira',
    endpoint: site,
    connector: {
      kind: 'jira',
      settings: { instance_url: site.origin, project_key: 'SEC', issue_type: 'Task' },
      secrets: site.account,
    },
    priorities: { critical: '1', high: '2', medium: '3', low: '4' },
    tickets: () => site.issues.all.map(shownIssue),
    does: (deed, id) => {
      const issue = site.issues.find(id);
      if (!issue || !workOn(site, issue, deed, now(), () => `OPS${++moved}`)) return false;
      return { body: JSON.parse(site.webhookOf(issue).body) as JsonObject };
    },
  };
}

function workOn(site: Site, issue: Issue, deed: Deed, now: Date, otherProject: () => string): boolean {
  const isOver = issue.status.category === 'done';
  if (deed === 'close' || (isOver !== (deed === 'reopen') && deed !== 'prioritize' && deed !== 'move')) return false;
  if (deed === 'start') transit(issue, { name: 'In Progress', category: 'indeterminate' }, null, now);
  if (deed === 'reopen') transit(issue, { name: 'In Progress', category: 'indeterminate' }, null, now);
  if (deed === 'resolve') transit(issue, { name: 'Done', category: 'done' }, 'Done', now);
  if (deed === 'decline') transit(issue, { name: 'Done', category: 'done' }, "Won't Do", now);
  if (deed === 'prioritize') issue.priority = { id: '5', name: 'Lowest' };
  if (deed === 'move') site.issues.moveTo(otherProject(), issue.key);
  issue.updatedAt = now;
  return true;
}

function shownIssue(issue: Issue): PlatformTicket {
  const { id, key, status, resolution, priority, comments, properties, fields } = issue;
  const kept = asObject(properties['llm-governance.ticket'])?.['key'];
  const isOver = status.category === 'done';
  return {
    ...{ id, name: key, key: typeof kept === 'string' ? kept : '', isOver },
    text: adfTexts(fields['description'] ?? null).join('\n'),
    isFinal: isOver && resolution === "Won't Do",
    priority: priority?.id ?? '',
    texts: comments.map(({ body, created }) => ({ text: adfTexts(body).join('\n'), at: Date.parse(created) })),
  };
}

export async function startLivedServiceNow(authority: Authority, now: () => Date): Promise<LivedPlatform> {
  const instance = await startInstance({ authority });
  instance.tables.now = now;
  return {
    kind: 'servicenow',
    endpoint: instance,
    connector: { kind: 'servicenow', settings: { instance_url: instance.origin }, secrets: instance.account },
    priorities: { critical: '1-1', high: '2-2', medium: '2-3', low: '3-3' },
    tickets: () => instance.tables.of('incident').map(shownRecord),
    does: (deed, id) => {
      const record = instance.tables.of('incident').find(each => each['sys_id'] === id);
      const fields = record && fieldsFor(record, deed);
      if (!record || !fields || instance.tables.update(record, fields, 'abel.tuter') !== undefined) return false;
      return { body: reportOf(record) };
    },
  };
}

function fieldsFor(record: TableRecord, deed: Deed): TableRecord | undefined {
  const isOver = ['6', '7', '8'].includes(record['state'] ?? '');
  if (deed === 'move' || (isOver !== (deed === 'reopen' || deed === 'close') && deed !== 'prioritize'))
    return undefined;
  if (record['state'] === '7') return undefined;
  const notes = { close_notes: 'Looked at it.' };
  switch (deed) {
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
    case 'prioritize':
      return { urgency: '3', impact: '2' };
  }
}

function reportOf(record: TableRecord): JsonObject {
  const names = ['number', 'sys_id', 'state', 'active', 'close_code', 'close_notes', 'sys_updated_by'];
  const more = ['sys_updated_on', 'sys_mod_count'];
  return { table: 'incident', ...Object.fromEntries([...names, ...more].map(name => [name, record[name] ?? ''])) };
}

function shownRecord(record: TableRecord): PlatformTicket {
  const { state = '', close_code: code = '' } = record;
  const isOver = ['6', '7', '8'].includes(state);
  const entries = (record['work_notes'] ?? '').split('\n\n').filter(entry => entry !== '');
  return {
    ...{ id: record['sys_id'] ?? '', name: record['number'] ?? '', key: record['correlation_id'] ?? '', isOver },
    text: record['description'] ?? '',
    isFinal: state === '7' || state === '8' || (isOver && code.includes('Too Costly')),
    priority: `${record['urgency']}-${record['impact']}`,
    texts: entries.toReversed().map(text => ({ text, at: Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) })),
  };
}
