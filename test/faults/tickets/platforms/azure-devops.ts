import { asText } from '#itsm';
import { startOrganization, type Organization } from '../../../emulators/azure-devops/organization.js';
import type { WorkItem } from '../../../emulators/azure-devops/items.js';
import type { Authority } from '../../../support/certificates.js';
import {
  EDITED,
  type PersonAction,
  type PlatformWithPeople,
  type PlatformReport,
  type PlatformTicket,
} from './platform-with-people.js';

const PRIORITY = 'Microsoft.VSTS.Common.Priority';
const TITLE = 'System.Title';
const PROJECT = 'AI Governance';

/** States and reasons that people set on a bug of the Agile process. */
const ENDS: Partial<Record<PersonAction, readonly [state: string, reason: string]>> = {
  start: ['Active', 'Approved'],
  resolve: ['Resolved', 'Fixed'],
  decline: ['Closed', "Won't Fix"],
  reopen: ['Active', 'Reactivated'],
};

/** Azure DevOps with changes by people. */
export async function startAzureDevOpsWithPeople(authority: Authority, now: () => Date): Promise<PlatformWithPeople> {
  const azure = await startOrganization({ authority });
  azure.items.now = now;
  azure.projects.set('Elsewhere', 'Agile');
  return {
    kind: 'azure_devops',
    endpoint: azure,
    connector: {
      kind: 'azure_devops',
      settings: { organization_url: azure.base, project: PROJECT, work_item_type: 'Bug' },
      secrets: { personal_access_token: azure.token },
    },
    priorities: { critical: '1', high: '2', medium: '3', low: '4' },
    tickets: () => azure.items.all.map(shown),
    ticket: id => shownIf(azure.items.find(id)),
    newest: () => shownIf(azure.items.all.at(-1)),
    idOf: ({ url }) => /\/workitems\/(\d+)/i.exec(url.pathname)?.[1],
    act: (action, id) => {
      const item = azure.items.find(id);
      return item ? workOn(azure, item, action) : false;
    },
    writes: ({ method, url }) => method !== 'GET' && !url.pathname.toLowerCase().endsWith('/wiql'),
    creates: ({ method, url }) =>
      method === 'POST' && url.pathname.includes('/$') && !url.searchParams.has('validateOnly'),
  };
}

function workOn({ items }: Organization, item: WorkItem, action: PersonAction): PlatformReport | false {
  const end = ENDS[action];
  if (end && isOver(item) !== (action === 'reopen')) return false;
  if (!end && action !== 'prioritize' && action !== 'edit' && action !== 'move') return false;
  const before = item.fields['System.State'] ?? null;
  if (end) items.revise(item, { ...item.fields, 'System.State': end[0], 'System.Reason': end[1] });
  if (action === 'prioritize') items.revise(item, { ...item.fields, [PRIORITY]: 4 });
  if (action === 'edit') items.revise(item, { ...item.fields, [TITLE]: `${asText(item.fields[TITLE])}${EDITED}` });
  if (action === 'move') items.move(item, item.project === PROJECT ? 'Elsewhere' : PROJECT);
  return { body: items.serviceHookOf(item, { 'System.State': { oldValue: before, newValue: end?.[0] ?? before } }) };
}

function isOver({ fields }: WorkItem): boolean {
  return fields['System.State'] === 'Resolved' || fields['System.State'] === 'Closed';
}

function shownIf(item: WorkItem | undefined): PlatformTicket | undefined {
  return item && shown(item);
}

function shown(item: WorkItem): PlatformTicket {
  const { id, fields, comments } = item;
  const tags = JSON.stringify(fields['System.Tags'] ?? '');
  return {
    ...{ id: String(id), name: String(id), isOver: isOver(item) },
    key: /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(tags)?.[0] ?? String(id),
    status: JSON.stringify([fields['System.State'], fields['System.Reason']]),
    title: asText(fields[TITLE]) ?? '',
    isFinal: isOver(item) && fields['System.Reason'] === "Won't Fix",
    priority: JSON.stringify(fields[PRIORITY] ?? ''),
    texts: comments.map(({ text, createdAt }) => ({ text: readable(text), at: createdAt.getTime() })),
  };
}

/** The text of HTML, as people see it. */
function readable(html: string): string {
  return html.replaceAll(/<br\s*\/?>/g, '\n').replaceAll(/<[^>]+>/g, '');
}
