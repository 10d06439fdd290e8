import type { JsonObject } from '#core';
import { asObject, asText } from '#itsm';
import { startSite, type Site } from '../../../emulators/jira/site.js';
import type { Issue } from '../../../emulators/jira/issues.js';
import { transit } from '../../../emulators/jira/life.js';
import type { Authority } from '../../../support/certificates.js';
import { adfTexts } from '../../../support/itsm/adf-texts.js';
import { EDITED, type PersonAction, type PlatformWithPeople, type PlatformTicket } from './platform-with-people.js';

/** Jira Cloud with changes by people. */
export async function startJiraWithPeople(authority: Authority, now: () => Date): Promise<PlatformWithPeople> {
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
    tickets: () => site.issues.all.map(shown),
    ticket: id => shownIf(site.issues.find(id)),
    newest: () => shownIf(site.issues.all.at(-1)),
    idOf: ({ url }) => site.issues.find(/\/issue\/([^/]+)/.exec(url.pathname)?.[1] ?? '')?.id,
    act: (action, id) => {
      const issue = site.issues.find(id);
      if (!issue || !workOn(site, issue, action, now(), () => `OPS${++moved}`)) return false;
      return { body: JSON.parse(site.webhookOf(issue).body) as JsonObject };
    },
    writes: ({ method, url }) => method !== 'GET' && !url.pathname.endsWith('/jql'),
    creates: ({ method, url }) => method === 'POST' && url.pathname.endsWith('/issue'),
  };
}

function workOn(site: Site, issue: Issue, action: PersonAction, now: Date, otherProject: () => string): boolean {
  const isOver = issue.status.category === 'done';
  const isOfStatus = action !== 'prioritize' && action !== 'edit' && action !== 'move';
  if (action === 'close' || (isOfStatus && isOver !== (action === 'reopen'))) return false;
  if (action === 'start') transit(issue, { name: 'In Progress', category: 'indeterminate' }, null, now);
  if (action === 'reopen') transit(issue, { name: 'In Progress', category: 'indeterminate' }, null, now);
  if (action === 'resolve') transit(issue, { name: 'Done', category: 'done' }, 'Done', now);
  if (action === 'decline') transit(issue, { name: 'Done', category: 'done' }, "Won't Do", now);
  if (action === 'prioritize') issue.priority = { id: '5', name: 'Lowest' };
  if (action === 'edit') issue.fields['summary'] = `${asText(issue.fields['summary'])}${EDITED}`;
  if (action === 'move') site.issues.moveTo(otherProject(), issue.key);
  // Reports are distinguished by this time, so that two changes in one instant need two.
  issue.updatedAt = new Date(Math.max(now.getTime(), issue.updatedAt.getTime() + 1));
  return true;
}

function shownIf(issue: Issue | undefined): PlatformTicket | undefined {
  return issue && shown(issue);
}

function shown({ id, key, status, resolution, priority, fields, comments, properties }: Issue): PlatformTicket {
  const kept = asObject(properties['llm-governance.ticket'])?.['key'];
  const isOver = status.category === 'done';
  return {
    ...{ id, name: key, key: typeof kept === 'string' ? kept : '', isOver },
    status: `${status.name} ${resolution ?? ''}`,
    title: asText(fields['summary']) ?? '',
    isFinal: isOver && resolution === "Won't Do",
    priority: priority?.id ?? '',
    texts: comments.map(({ body, created }) => ({ text: adfTexts(body).join('\n'), at: Date.parse(created) })),
  };
}
