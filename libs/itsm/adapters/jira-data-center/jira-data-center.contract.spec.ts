import { createHmac } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { itsmAdapterContract } from 'nest-llm-governance/testing';
import type { Severity } from '#core';
import { startDataCenter, type DataCenter } from '../../../../test/emulators/jira-data-center/instance.js';
import type { Issue } from '../../../../test/emulators/jira/issues.js';
import { transit } from '../../../../test/emulators/jira/life.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { asObject } from '../../adapter/platform-answer.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import type { DataCenterSecrets } from './data-center-settings.js';
import { JiraDataCenterAdapter } from './jira-data-center.adapter.js';

const PRIORITIES = { critical: '1', high: '2', medium: '3', low: '4' } satisfies Record<Severity, string>;

function issueOf({ issues }: DataCenter, { externalTicketId }: TicketRef): Issue {
  const issue = issues.find(externalTicketId);
  if (!issue) throw new Error(`There is no issue ${externalTicketId}.`);
  return issue;
}

/** Wiki markup as shown to people. */
function readable(markup: unknown): string {
  return String(markup)
    .replaceAll(/\\([^\w\s])/g, '$1')
    .replaceAll('&#92;', '\\');
}

const SIGN_INS: [string, (jira: DataCenter) => DataCenterSecrets][] = [
  ['a personal access token', ({ account }) => ({ personal_access_token: account.token })],
  ['a password', ({ account }) => ({ username: account.name, password: account.password })],
];

describe.each(SIGN_INS)('JiraDataCenterAdapter keeps the contract, with %s: it', (_name, secretsOf) => {
  const platforms = platformAccess();

  const contract = itsmAdapterContract(async () => {
    const jira = await startDataCenter({ authority: platforms.authority });
    return {
      newAdapter: () => new JiraDataCenterAdapter(),
      settings: { instance_url: jira.base, project_key: 'SEC', issue_type: 'Task' },
      secrets: secretsOf(jira),
      http: new EgressAdapterHttp(platforms.egress, [jira.origin]),
      creates: ({ method, url }) => method === 'POST' && new URL(url).pathname === '/jira/rest/api/2/issue',
      shows: 'plain' as const,
      limits: { title: 255, description: 32_767 },
      severity: {
        in: ({ fields }) => asObject(asObject(fields)?.['priority'])?.['id'],
        expected: PRIORITIES,
      },
      fieldRefusal: {
        answer: { status: 400, json: { errorMessages: [], errors: { customfield_10050: 'Team is required.' } } },
        field: 'customfield_10050',
      },
      status: {
        move: (ref, category) => {
          const known = (['undefined', 'new', 'indeterminate', 'done'] as const).find(each => each === category);
          if (known) transit(issueOf(jira, ref), { name: 'Somewhere', category: known }, null, new Date());
        },
        expected: { undefined: 'open', new: 'open', indeterminate: 'in_progress', done: 'resolved' },
      },
      rename: ref => {
        const { id: platformId, key: externalTicketId } = jira.issues.moveTo('OPS', ref.externalTicketId);
        return { platformId, externalTicketId };
      },
      paginate: () => void (jira.conditions.searchPage = 1),
      update: {
        texts: ref => (jira.comments.get(issueOf(jira, ref).id) ?? []).map(({ body }) => readable(body)),
        priority: ref => issueOf(jira, ref).priority?.id,
        prioritize: (ref, severity) => {
          issueOf(jira, ref).priority = jira.project.priorities.find(({ id }) => id === PRIORITIES[severity]);
        },
        resolved: 'done',
        decline: ref => transit(issueOf(jira, ref), { name: 'Done', category: 'done' }, "Won't Fix", new Date()),
      },
      signs: (bytes, secret) => ({
        'x-hub-signature': `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
      }),
      inbound: [
        {
          body: {
            timestamp: 1_795_168_800_000,
            webhookEvent: 'jira:issue_updated',
            user: { name: 'mia', key: 'JIRAUSER10200', emailAddress: 'mia@example.com', displayName: 'Mia Krystof' },
            issue: {
              id: '20001',
              key: 'SEC-17',
              fields: {
                status: { name: 'Erledigt', statusCategory: { key: 'done' } },
                resolution: { name: 'Fixed' },
                updated: '2026-11-20T10:15:00.123+0000',
              },
            },
            changelog: { id: '10124', items: [] },
          },
          update: {
            ...{ externalTicketId: 'SEC-17', platformId: '20001', status: 'resolved', resolution: 'Fixed' },
            ...{ updatedBy: 'mia@example.com', occurredAt: new Date('2026-11-20T10:15:00.123Z') },
            eventId: 'jira:20001:10124',
          },
        },
      ],
      interfere: jira.interfere,
      close: () => jira.close(),
    };
  });

  it.each(contract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});
