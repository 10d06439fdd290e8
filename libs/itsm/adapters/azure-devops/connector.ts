import * as form from '../../adapter/form.js';
import type { JsonObject } from '#core';
import type { AdapterContext, FormSchema } from '../../adapter/itsm-adapter.port.js';

/** Where work items are created. */
export interface AzureDevOpsSettings {
  /** `https://dev.azure.com/acme`, or a collection of Azure DevOps Server. */
  readonly organization_url: string;
  readonly project: string;
  /** Default: Bug if the process has it, otherwise Issue. */
  readonly work_item_type?: string;
  /** `1` to `4`, by severity. */
  readonly priorities?: form.Priorities;
  /** Further fields of each work item, by reference name. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
}

export interface AzureDevOpsSecrets {
  readonly personal_access_token: string;
}

export type Context = AdapterContext<AzureDevOpsSettings, AzureDevOpsSecrets>;

/** Fields by reference name. Forms of bugs show the steps to reproduce in place of the description. */
export const FIELD = {
  ...{ title: 'System.Title', description: 'System.Description', steps: 'Microsoft.VSTS.TCM.ReproSteps' },
  ...{ tags: 'System.Tags', priority: 'Microsoft.VSTS.Common.Priority', history: 'System.History' },
  ...{ state: 'System.State', reason: 'System.Reason', type: 'System.WorkItemType', project: 'System.TeamProject' },
  ...{ changedBy: 'System.ChangedBy', changedAt: 'System.ChangedDate' },
} as const;

/** Names do not begin with a dot, a blank or an underscore, and hold no slash. */
const named = (title: string, description: string, maxLength: number): JsonObject => {
  return { type: 'string', title, description, maxLength, pattern: String.raw`^[^\s._/\\][^/\\]*$` };
};

export const SETTINGS_SCHEMA: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['organization_url', 'project'],
  properties: {
    organization_url: form.url({
      title: 'Organization URL',
      description:
        'The URL of your organization, such as https://dev.azure.com/acme. For Azure DevOps Server: of the collection.',
      path: true,
    }),
    project: named('Project', 'Name of the project, or its id.', 64),
    work_item_type: named('Work item type', 'If empty: Bug if the project has this type, otherwise Issue.', 128),
    priorities: form.priorities(
      'Priorities by severity as JSON, such as {"critical": "1", "high": "1"}. Defaults: 1, 2, 3 and 4.',
      '^[1-4]$',
    ),
    fields: form.fields({
      description:
        'Values of further fields as JSON, by their reference names, such as {"System.AreaPath": "Acme", ' +
        '"Custom.Environment": "production"}. Use it for fields that the process requires.',
      reserved: Object.values(FIELD),
      values: { type: ['string', 'number', 'boolean'], maxLength: 4_000 },
    }),
  },
};

export const SECRETS_SCHEMA: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['personal_access_token'],
  properties: {
    personal_access_token: {
      type: 'string',
      title: 'Personal access token',
      description: 'A token with the scope Work Items (Read & write). It expires within a year.',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[\\x21-\\x7e]+$',
    },
  },
};
