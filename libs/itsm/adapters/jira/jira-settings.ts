import type { AdapterContext, FormSchema } from '../../adapter/itsm-adapter.port.js';
import type { JsonObject } from '#core';
import { fieldsSetting } from '../../adapter/fields-setting.js';
import { prioritiesSetting, type Priorities } from '../../adapter/priorities-setting.js';
import { urlSetting } from '../../adapter/url-setting.js';

/** Where issues are created. */
export interface JiraSettings {
  /** The site as people open it: `https://acme.atlassian.net`. */
  readonly instance_url: string;
  /** Where its API is, if that is elsewhere: tokens with scopes work at `https://api.atlassian.com/ex/jira/{cloudId}` only. */
  readonly api_base_url?: string;
  readonly project_key: string;
  /** Name or id. */
  readonly issue_type: string;
  /** Name or id of the priority by severity. */
  readonly priorities?: Priorities;
  /** Further fields of each issue, by id, in the form that the REST API takes. */
  readonly fields?: JsonObject;
}

export interface JiraSecrets {
  readonly email: string;
  readonly api_token: string;
}

export type JiraContext = AdapterContext<JiraSettings, JiraSecrets>;

export const JIRA_SETTINGS: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['instance_url', 'project_key', 'issue_type'],
  properties: {
    instance_url: urlSetting({
      title: 'Instance URL',
      description: 'The URL of your Jira site without a path, such as https://acme.atlassian.net.',
    }),
    api_base_url: urlSetting({
      title: 'API base URL',
      description:
        'Only for API tokens with scopes: https://api.atlassian.com/ex/jira/{cloudId}. Find the cloud id at ' +
        'https://acme.atlassian.net/_edge/tenant_info. Such a token needs the scopes read:jira-work and ' +
        'write:jira-work.',
      path: true,
    }),
    project_key: {
      type: 'string',
      title: 'Project key',
      description: 'The project key, such as SEC.',
      maxLength: 255,
      pattern: '^[A-Z][A-Z0-9_]*$',
    },
    issue_type: {
      type: 'string',
      title: 'Issue type',
      description: 'Name of the issue type in the project, such as Bug or Task, or its id.',
      minLength: 1,
      maxLength: 255,
      pattern: '\\S',
    },
    priorities: prioritiesSetting(
      'Priorities by severity as JSON, by their English names or ids, such as {"critical": "P1", "low": "5"}. ' +
        'Defaults: Highest, High, Medium and Low.',
    ),
    fields: fieldsSetting({
      description:
        'Values of further fields as JSON, by their ids and in the form of Jira’s REST API, such as ' +
        '{"customfield_10050": {"value": "Security"}, "components": [{"id": "10000"}]}. Use it for fields that the ' +
        'project requires.',
      reserved: ['project', 'issuetype', 'summary', 'description', 'labels', 'priority'],
    }),
  },
};

export const JIRA_SECRETS: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['email', 'api_token'],
  properties: {
    email: {
      type: 'string',
      title: 'E-mail',
      description: 'E-mail address of the account that creates the issues.',
      maxLength: 255,
      // Basic authentication ends the name at the first colon.
      pattern: '^[^\\s:@]+@[^\\s:@]+$',
    },
    api_token: {
      type: 'string',
      title: 'API token',
      description: 'Create it at id.atlassian.com under Security. It expires within a year.',
      minLength: 1,
      maxLength: 1024,
      pattern: '^\\S+$',
    },
  },
};

/** In front of `/rest/api/3/…`, without a slash at its end. */
export function apiBaseOf({ api_base_url, instance_url }: JiraSettings): string {
  return api_base_url === undefined ? new URL(instance_url).origin : api_base_url.replace(/\/+$/, '');
}

/** Where a person sees an issue; undefined where that cannot be said: an issue that is there is never lost for its link. */
export function browseUrl({ instance_url }: JiraSettings, issueKey: string): string | undefined {
  const site = URL.parse(instance_url);
  return site && issueKey.isWellFormed() ? `${site.origin}/browse/${encodeURIComponent(issueKey)}` : undefined;
}
