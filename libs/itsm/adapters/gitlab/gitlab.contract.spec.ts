import { createHmac, randomUUID } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { itsmAdapterContract } from 'nest-llm-governance/testing';
import type { TicketRef } from '#itsm';
import type { GitLabIssue } from '../../../../test/emulators/gitlab/issues.js';
import { startGitLab, type GitLab } from '../../../../test/emulators/gitlab/instance.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { GitLabAdapter } from './gitlab.adapter.js';
import { keyWord } from './gitlab-issue.js';

const PRIORITIES = { critical: 'critical', high: 'high', medium: 'medium', low: 'low' };

function issueOf({ issues }: GitLab, { platformId }: TicketRef): GitLabIssue {
  const issue = issues.all.find(({ id }) => String(id) === platformId);
  if (!issue) throw new Error(`There is no issue ${platformId}.`);
  return issue;
}

const priorityIn = (labels: unknown): unknown =>
  Array.isArray(labels) ? labels.filter(label => Object.hasOwn(PRIORITIES, String(label))).join() : undefined;

/** Converts Markdown to the text that people see, for the Markdown that texts of changes use. */
const readable = (markdown: string): string =>
  markdown.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('  \n', '\n');

describe('GitLabAdapter keeps the contract of adapters, over HTTPS: it', () => {
  const platforms = platformAccess();

  const contract = itsmAdapterContract(async () => {
    const gitlab = await startGitLab({ authority: platforms.authority });
    const move = (ref: TicketRef, state: string): void => {
      const issue = issueOf(gitlab, ref);
      issue.labels = issue.labels.filter(label => label !== 'resolution::wontfix');
      if (state === 'declined') issue.labels.push('resolution::wontfix');
      gitlab.issues.transit(issue, state === 'opened' ? 'opened' : 'closed');
    };
    return {
      newAdapter: () => new GitLabAdapter(),
      settings: {
        ...{ instance_url: gitlab.origin, project: String(gitlab.project.id) },
        visibility: 'confidential' as const,
      },
      secrets: { access_token: gitlab.token },
      http: new EgressAdapterHttp(platforms.egress, [gitlab.origin]),
      creates: ({ method, url }) => method === 'POST' && new URL(url).pathname.endsWith('/issues'),
      shows: 'markdown' as const,
      limits: { title: 255, description: 1_048_576 / 4 },
      severity: { in: ({ labels }) => priorityIn(labels), expected: PRIORITIES },
      fieldRefusal: {
        answer: { status: 400, json: { message: { due_date: ['is not a date'] } } },
        field: 'due_date',
      },
      status: { move, expected: { opened: 'open', closed: 'resolved', declined: 'closed' } },
      rename: ref => {
        gitlab.rename(`acme/renamed-${randomUUID()}`);
        const { path_with_namespace: path } = gitlab.project;
        return { ...ref, externalTicketId: `${path}#${issueOf(gitlab, ref).iid}` };
      },
      // The search also finds words that begin with the key. A page holds 100 issues.
      paginate: key => {
        for (let n = 0; n < 100; n += 1) {
          const description = `Compare ${keyWord(key)}0.`;
          gitlab.issues.create({ title: 'Another', description, labels: [], confidential: false });
        }
      },
      update: {
        texts: ref => issueOf(gitlab, ref).notes.map(({ body }) => readable(body)),
        priority: ref => priorityIn(issueOf(gitlab, ref).labels),
        prioritize: (ref, severity) => {
          const issue = issueOf(gitlab, ref);
          issue.labels = [...issue.labels.filter(label => !Object.hasOwn(PRIORITIES, label)), severity];
        },
        resolved: 'closed',
        decline: ref => move(ref, 'declined'),
      },
      signs: (bytes, secret) => {
        const [id, at] = ['5a3b2c1d-0000-4e2a-9c1a-2f0d2b8e7a11', '1795168800'];
        const digest = createHmac('sha256', secret).update(`${id}.${at}.`).update(bytes).digest('base64');
        return { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${digest}` };
      },
      inbound: [
        {
          headers: { 'idempotency-key': '5a3b2c1d-0000-4e2a-9c1a-2f0d2b8e7a11' },
          body: {
            object_kind: 'issue',
            user: { id: 1, username: 'root', email: '[REDACTED]' },
            project: { id: 15, path_with_namespace: 'acme/security/ai-incidents' },
            object_attributes: {
              ...{ id: 84_017, iid: 17, state: 'closed', action: 'close', type: 'Issue' },
              ...{ updated_at: '2026-11-20 10:15:00 UTC', moved_to_id: null, duplicated_to_id: null },
            },
            labels: [{ id: 206, title: 'ai-policy' }],
          },
          update: {
            ...{ externalTicketId: 'acme/security/ai-incidents#17', platformId: '84017', status: 'resolved' },
            ...{ updatedBy: 'root', occurredAt: new Date('2026-11-20T10:15:00Z') },
            eventId: 'gitlab:5a3b2c1d-0000-4e2a-9c1a-2f0d2b8e7a11:',
          },
        },
      ],
      interfere: interference => gitlab.interfere(interference),
      close: () => gitlab.close(),
    };
  });

  it.each(contract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});
