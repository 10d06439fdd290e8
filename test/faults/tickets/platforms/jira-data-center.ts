import type { JsonObject } from '#core';
import { asText } from '#itsm';
import { startDataCenter, type DataCenter } from '../../../emulators/jira-data-center/instance.js';
import type { Issue } from '../../../emulators/jira/issues.js';
import { transit } from '../../../emulators/jira/life.js';
import type { Authority } from '../../../support/certificates.js';
import { EDITED, type PersonAction, type PlatformWithPeople, type PlatformTicket } from './platform-with-people.js';

/** Jira Data Center with changes by people. */
export async function startDataCenterWithPeople(authority: Authority, now: () => Date): Promise<PlatformWithPeople> {
  const jira = await startDataCenter({ authority });
  jira.issues.now = now;
  let moved = 0;
  const shownIf = (issue?: Issue): PlatformTicket | undefined => issue && shown(issue, jira);
  return {
    kind: 'jira_data_center',
    endpoint: jira,
    connector: {
      kind: 'jira_data_center',
      settings: { instance_url: jira.base, project_key: 'SEC', issue_type: 'Task' },
      secrets: { personal_access_token: jira.account.token },
    },
    priorities: { critical: '1', high: '2', medium: '3', low: '4' },
    tickets: () => jira.issues.all.map(issue => shown(issue, jira)),
    ticket: id => shownIf(jira.issues.find(id)),
    newest: () => shownIf(jira.issues.all.at(-1)),
    idOf: ({ url }) => jira.issues.find(/\/issue\/([^/]+)/.exec(url.pathname)?.[1] ?? '')?.id,
    act: (action, id) => {
      const issue = jira.issues.find(id);
      if (!issue || !workOn(jira, issue, action, now(), () => `OPS${++moved}`)) return false;
      const { body, headers } = jira.webhookOf(issue);
      return { body: JSON.parse(body) as JsonObject, headers };
    },
    writes: ({ method, url }) => method !== 'GET' && !url.pathname.endsWith('/search'),
    creates: ({ method, url }) => method === 'POST' && url.pathname.endsWith('/issue'),
  };
}

function workOn(jira: DataCenter, issue: Issue, action: PersonAction, now: Date, otherProject: () => string): boolean {
  const isOver = issue.status.category === 'done';
  const isOfStatus = action !== 'prioritize' && action !== 'edit' && action !== 'move';
  if (action === 'close' || (isOfStatus && isOver !== (action === 'reopen'))) return false;
  if (action === 'start' || action === 'reopen') {
    transit(issue, { name: 'In Progress', category: 'indeterminate' }, null, now);
  }
  if (action === 'resolve') transit(issue, { name: 'Done', category: 'done' }, 'Fixed', now);
  if (action === 'decline') transit(issue, { name: 'Done', category: 'done' }, "Won't Fix", now);
  if (action === 'prioritize') issue.priority = { id: '5', name: 'Lowest' };
  if (action === 'edit') issue.fields['summary'] = `${asText(issue.fields['summary'])}${EDITED}`;
  if (action === 'move') jira.issues.moveTo(otherProject(), issue.key);
  // Two changes in one instant need different times, because the app distinguishes reports by this time.
  issue.updatedAt = new Date(Math.max(now.getTime(), issue.updatedAt.getTime() + 1));
  return true;
}

function shown({ id, key, status, resolution, priority, fields }: Issue, { comments }: DataCenter): PlatformTicket {
  const isOver = status.category === 'done';
  const labels = JSON.stringify(fields['labels'] ?? []);
  return {
    ...{ id, name: key, key: /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(labels)?.[0] ?? id, isOver },
    status: `${status.name} ${resolution ?? ''}`,
    title: asText(fields['summary']) ?? '',
    isFinal: isOver && resolution === "Won't Fix",
    priority: priority?.id ?? '',
    texts: (comments.get(id) ?? []).map(({ body, created }) => ({
      text: readable(asText(body) ?? ''),
      at: Date.parse(asText(created) ?? ''),
    })),
  };
}

/** The text of wiki markup, as people see it. */
function readable(markup: string): string {
  return markup.replaceAll(/\\([^\w\s])/g, '$1');
}
