import { createHmac } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { itsmAdapterContract } from 'nest-llm-governance/testing';
import type { JsonObject } from '#core';
import { adfTexts } from '../../../../test/support/itsm/adf-texts.js';
import type { Issue, Move } from '../../../../test/emulators/jira/issues.js';
import { startSite, type Site } from '../../../../test/emulators/jira/site.js';
import { asObject } from '../../adapter/platform-answer.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { JiraAdapter } from './jira.adapter.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';

const CREATE = /\/rest\/api\/3\/issue$/;

function issueOf({ issues }: Site, key: string): Issue {
  const issue = issues.find(key);
  if (!issue) throw new Error(`There is no issue ${key}.`);
  return issue;
}

function paragraphsOf({ content }: JsonObject): string[] {
  return Array.isArray(content) ? content.map(node => adfTexts(node).join('')) : [];
}

describe('JiraAdapter keeps the contract of adapters, over HTTPS: it', () => {
  const platforms = platformAccess();

  const contract = itsmAdapterContract(async () => {
    const jira = await startSite({
      authority: platforms.authority,
      conditions: { token: 'with scopes', indexLagMs: 100 },
    });
    return {
      newAdapter: () => new JiraAdapter(),
      settings: jira.settings,
      secrets: jira.account,
      http: new EgressAdapterHttp(platforms.egress, [jira.origin]),
      creates: ({ method, url }) => method === 'POST' && CREATE.test(new URL(url).pathname),
      shows: 'plain' as const,
      limits: { title: 255, description: 32_767 },
      severity: {
        in: ({ fields }) => asObject(fields)?.['priority'],
        expected: {
          critical: { id: '1' },
          high: { id: '2' },
          medium: { id: '3' },
          low: { id: '4' },
        },
      },
      fieldRefusal: {
        answer: { status: 400, json: { errorMessages: [], errors: { customfield_10050: 'Team is required.' } } },
        field: 'customfield_10050',
      },
      foundWithinMs: 3_000,
      status: {
        // The contract uses the categories of states, because people may rename the columns of a board.
        move: ({ externalTicketId }, category) => {
          jira.issues.move(externalTicketId, { category: category as Move['category'] });
        },
        expected: { undefined: 'open', new: 'open', indeterminate: 'in_progress', done: 'resolved' },
      },
      rename: ({ externalTicketId }) => {
        const { id, key } = jira.issues.moveTo('OPS', externalTicketId);
        return { platformId: id, externalTicketId: key };
      },
      paginate: () => void (jira.conditions.searchPage = 1),
      update: {
        texts: ({ externalTicketId }) =>
          issueOf(jira, externalTicketId).comments.map(({ body }) => paragraphsOf(body).join('\n')),
        priority: ({ externalTicketId }) => {
          return { id: issueOf(jira, externalTicketId).priority?.id };
        },
        prioritize: ({ externalTicketId }, severity) => {
          const id = { critical: '1', high: '2', medium: '3', low: '4' }[severity];
          issueOf(jira, externalTicketId).priority = { id, name: id };
        },
        resolved: 'done',
        decline: ({ externalTicketId }) => {
          jira.issues.move(externalTicketId, { category: 'done', name: 'Done', resolution: "Won't Do" });
        },
      },
      signs: (bytes, secret) => ({
        'x-hub-signature': `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
      }),
      inbound: [
        {
          body: {
            timestamp: 1_795_168_800_000,
            webhookEvent: 'jira:issue_updated',
            user: { displayName: 'Mia Krystof', emailAddress: 'mia@example.com' },
            issue: {
              id: '20001',
              key: 'SEC-17',
              fields: {
                status: { name: 'Erledigt', statusCategory: { key: 'done' } },
                resolution: { name: 'Done' },
                updated: '2026-11-20T10:15:00.123+0000',
              },
            },
            changelog: { id: '10124', items: [] },
          },
          update: {
            externalTicketId: 'SEC-17',
            platformId: '20001',
            status: 'resolved',
            resolution: 'Done',
            updatedBy: 'mia@example.com',
            occurredAt: new Date('2026-11-20T10:15:00.123Z'),
            eventId: 'jira:20001:10124',
          },
        },
      ],
      interfere: interference => jira.interfere(interference),
      close: () => jira.close(),
    };
  });

  it.each(contract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});
