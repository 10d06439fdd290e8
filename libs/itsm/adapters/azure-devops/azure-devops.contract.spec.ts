import { describe, it } from '@jest/globals';
import { itsmAdapterContract } from 'nest-llm-governance/testing';
import type { Json } from '#core';
import type { WorkItem } from '../../../../test/emulators/azure-devops/items.js';
import { startOrganization, type Organization } from '../../../../test/emulators/azure-devops/organization.js';
import type { ProcessName } from '../../../../test/emulators/azure-devops/process.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { asObject } from '../../adapter/platform-answer.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { AzureDevOpsAdapter } from './azure-devops.adapter.js';

const PRIORITY = 'Microsoft.VSTS.Common.Priority';

function itemOf({ items }: Organization, { externalTicketId }: TicketRef): WorkItem {
  const item = items.find(externalTicketId);
  if (!item) throw new Error(`There is no work item ${externalTicketId}.`);
  return item;
}

/** HTML as shown to people. */
function readable(html: string): string {
  const text = html.replaceAll('<br>', '\n').replaceAll(/<[^>]+>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function valueIn(patch: Json, field: string): Json | undefined {
  const operations = (Array.isArray(patch) ? patch : []).map(each => asObject(each));
  return operations.find(each => each?.['path'] === `/fields/${field}`)?.['value'];
}

/** States of each process in the contract, with the status that each means. */
const STATES = {
  Agile: { New: 'open', Active: 'in_progress', Resolved: 'resolved', Closed: 'resolved' },
  Basic: { 'To Do': 'open', Doing: 'in_progress', Done: 'resolved' },
  Scrum: { New: 'open', Approved: 'open', Committed: 'in_progress', Done: 'resolved', Removed: 'closed' },
} as const;

describe.each(['Agile', 'Basic', 'Scrum'] as const)(
  'AzureDevOpsAdapter keeps the contract, with the process %s: it',
  process => {
    const platforms = platformAccess();

    const contract = itsmAdapterContract(async () => {
      const azure = await startOrganization({ authority: platforms.authority });
      azure.projects.set('AI Governance', process satisfies ProcessName);
      return {
        newAdapter: () => new AzureDevOpsAdapter(),
        settings: {
          ...{ organization_url: azure.base, project: 'AI Governance' },
          ...{ work_item_type: process === 'Basic' ? 'Issue' : 'Bug' },
        },
        secrets: { personal_access_token: azure.token },
        http: new EgressAdapterHttp(platforms.egress, [azure.origin]),
        creates: ({ method, url }) => method === 'POST' && /\/workitems\/\$/.test(url) && !url.includes('validateOnly'),
        contentType: 'application/json-patch+json',
        limits: { title: 255, description: 32_000 },
        severity: {
          in: (sent: Json) => valueIn(sent, PRIORITY),
          expected: { critical: 1, high: 2, medium: 3, low: 4 },
        },
        fieldRefusal: {
          answer: {
            status: 400,
            json: {
              message: 'TF401320: Rule Error for field Environment. Error code: Required, InvalidEmpty.',
              typeKey: 'RuleValidationException',
              customProperties: {
                RuleValidationErrors: [
                  {
                    fieldReferenceName: 'Custom.Environment',
                    errorMessage: 'TF401320: Rule Error for field Environment.',
                  },
                ],
              },
            },
          },
          field: 'Custom.Environment',
        },
        failsInSuccess: [
          {
            status: 203,
            text: '<html><title>Azure DevOps Services | Sign In</title></html>',
            becomes: 'rejected' as const,
          },
        ],
        status: {
          move: (ref: TicketRef, state: string) => {
            const item = itemOf(azure, ref);
            azure.items.revise(item, { ...item.fields, 'System.State': state });
          },
          expected: STATES[process],
        },
        // The id of a work item is the same in every project, and a query (WIQL) has no pages.
        rename: 'none' as const,
        paginate: 'none' as const,
        update: {
          texts: (ref: TicketRef) => itemOf(azure, ref).comments.map(({ text }) => readable(text)),
          priority: (ref: TicketRef) => itemOf(azure, ref).fields[PRIORITY],
          prioritize: (ref: TicketRef, severity: 'critical' | 'high' | 'medium' | 'low') => {
            const item = itemOf(azure, ref);
            const priority = { critical: 1, high: 2, medium: 3, low: 4 }[severity];
            azure.items.revise(item, { ...item.fields, [PRIORITY]: priority });
          },
          resolved: process === 'Agile' ? 'Resolved' : 'Done',
          decline: (ref: TicketRef) => {
            const item = itemOf(azure, ref);
            const state = { Agile: 'Closed', Basic: 'Done', Scrum: 'Removed' }[process];
            azure.items.revise(item, { ...item.fields, 'System.State': state, 'System.Reason': "Won't Fix" });
          },
        },
        inbound: [
          {
            body: {
              ...{ subscriptionId: 'aaaa0a0a-bb1b-cc2c-dd3d-eeeeee4e4e4e', notificationId: 7, publisherId: 'tfs' },
              eventType: 'workitem.updated',
              resource: {
                ...{
                  id: 5,
                  workItemId: 297,
                  rev: 5,
                  fields: { 'System.State': { oldValue: 'New', newValue: 'Resolved' } },
                },
                revision: {
                  ...{ id: 297, rev: 5 },
                  fields: {
                    ...{ 'System.State': 'Resolved', 'System.Reason': 'Fixed', 'System.WorkItemType': 'Bug' },
                    'System.ChangedBy': 'Mia Krystof <mia@example.com>',
                    'System.ChangedDate': '2026-11-20T10:15:00.123Z',
                  },
                },
              },
            },
            update: {
              ...{
                externalTicketId: '297',
                status: 'resolved' as const,
                resolution: 'Fixed',
                updatedBy: 'mia@example.com',
              },
              ...{ occurredAt: new Date('2026-11-20T10:15:00.123Z'), eventId: 'azure-devops:297:5' },
            },
          },
        ],
        interfere: azure.interfere,
        close: () => azure.close(),
      };
    });

    it.each(contract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
  },
);
