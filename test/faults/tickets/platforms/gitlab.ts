import type { JsonObject } from '#core';
import { startGitLab, type GitLab } from '../../../emulators/gitlab/instance.js';
import type { GitLabIssue } from '../../../emulators/gitlab/issues.js';
import type { Authority } from '../../../support/certificates.js';
import {
  EDITED,
  type PersonAction,
  type PlatformWithPeople,
  type PlatformReport,
  type PlatformTicket,
} from './platform-with-people.js';

const SEVERITIES = ['critical', 'high', 'medium', 'low'];
const DECLINED = 'resolution::wontfix';

/** GitLab with changes by people. An issue is only open or closed, and a label marks declined issues. */
export async function startGitLabWithPeople(authority: Authority, now: () => Date): Promise<PlatformWithPeople> {
  const gitlab = await startGitLab({ authority });
  gitlab.issues.now = now;
  const path = gitlab.project.path_with_namespace;
  const shownIf = (issue?: GitLabIssue): PlatformTicket | undefined => issue && shown(issue, path);
  return {
    kind: 'gitlab',
    endpoint: gitlab,
    connector: {
      kind: 'gitlab',
      settings: { instance_url: gitlab.origin, project: path },
      secrets: { access_token: gitlab.token },
    },
    priorities: Object.fromEntries(SEVERITIES.map(severity => [severity, severity])),
    tickets: () => gitlab.issues.all.map(issue => shown(issue, path)),
    ticket: id => shownIf(gitlab.issues.all.find(each => String(each.id) === id)),
    newest: () => shownIf(gitlab.issues.all.at(-1)),
    idOf: ({ url }) => {
      const iid = /\/issues\/(\d+)/.exec(url.pathname)?.[1];
      const issue = gitlab.issues.all.find(each => String(each.iid) === iid);
      return issue && String(issue.id);
    },
    act: (action, id) => {
      const issue = gitlab.issues.all.find(each => String(each.id) === id);
      return issue ? workOn(gitlab, issue, action) : false;
    },
    writes: ({ method }) => method !== 'GET',
    creates: ({ method, url }) => method === 'POST' && url.pathname.endsWith('/issues'),
  };
}

function workOn(gitlab: GitLab, issue: GitLabIssue, action: PersonAction): PlatformReport | false {
  const { issues } = gitlab;
  const isOver = issue.state === 'closed';
  const isOfStatus = action === 'resolve' || action === 'decline' || action === 'reopen';
  if ((!isOfStatus && action !== 'prioritize' && action !== 'edit') || (isOfStatus && isOver !== (action === 'reopen')))
    return false;
  if (action === 'prioritize') issue.labels = [...issue.labels.filter(label => !SEVERITIES.includes(label)), 'low'];
  else if (action === 'edit') issue.title += EDITED;
  else issue.labels = issue.labels.filter(label => label !== DECLINED);
  if (action === 'decline') issue.labels.push(DECLINED);
  issue.updatedAt = issues.now();
  if (isOfStatus) issues.transit(issue, action === 'reopen' ? 'opened' : 'closed');
  const { body, headers } = issues.webhookOf(issue, isOfStatus ? (isOver ? 'reopen' : 'close') : 'update');
  return { body: JSON.parse(body) as JsonObject, headers };
}

function shown({ id, iid, title, description, labels, state, notes }: GitLabIssue, path: string): PlatformTicket {
  const isOver = state === 'closed';
  return {
    ...{ id: String(id), name: `${path}#${iid}`, status: state, title, isOver },
    key: /Reference: (key\w+)/.exec(description ?? '')?.[1] ?? '',
    isFinal: isOver && labels.includes(DECLINED),
    priority: labels.find(label => SEVERITIES.includes(label)) ?? '',
    texts: notes.map(({ body, createdAt }) => ({ text: body.replaceAll('\\', ''), at: createdAt.getTime() })),
  };
}
