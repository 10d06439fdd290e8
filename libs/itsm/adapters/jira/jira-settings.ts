import * as form from '../../adapter/form.js';
import type { AdapterContext, FormSchema } from '../../adapter/itsm-adapter.port.js';
import { textDocument } from './adf.js';
import { PROJECT_SETTINGS, type JiraProjectSettings, type JiraSite } from './jira-site.js';

/** The settings that determine where issues are created. */
export interface JiraSettings extends JiraProjectSettings {
  /**
   * Base URL of the API, if it differs from `instance_url`. Tokens with scopes work only at
   * `https://api.atlassian.com/ex/jira/{cloudId}`.
   */
  readonly api_base_url?: string;
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
    instance_url: form.url({
      title: 'Instance URL',
      description: 'The URL of your Jira site without a path, such as https://acme.atlassian.net.',
    }),
    api_base_url: form.url({
      title: 'API base URL',
      description:
        'Only for API tokens with scopes: https://api.atlassian.com/ex/jira/{cloudId}. Find the cloud id at ' +
        'https://acme.atlassian.net/_edge/tenant_info. Such a token needs the scopes read:jira-work and ' +
        'write:jira-work.',
      path: true,
    }),
    ...PROJECT_SETTINGS,
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
      // In Basic authentication, the first colon ends the user name.
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

/** The part of API URLs before `/rest/api/3/…`, without a slash at its end. */
export function apiBaseOf({ api_base_url, instance_url }: JiraSettings): string {
  return api_base_url === undefined ? new URL(instance_url).origin : api_base_url.replace(/\/+$/, '');
}

const SIGN_IN =
  'Jira does not accept the e-mail and API token: enter them again. Tokens expire within a year, and those with ' +
  'scopes need the API base URL.';

const HIDDEN_PROJECT =
  ' If the API token has scopes, enter the API base URL: the instance URL treats such a token as anonymous.';

/** Client of Jira Cloud's REST API, version 3. */
export function cloudSite({ settings, secrets, http, clock }: JiraContext): JiraSite {
  const { email, api_token } = secrets;
  return {
    ...{ settings, http, clock, toComment: textDocument, lists: { types: 'issueTypes', fields: 'fields' } },
    api: `${apiBaseOf(settings)}/rest/api/3`,
    pages: URL.parse(settings.instance_url)?.origin,
    authorization: `Basic ${Buffer.from(`${email}:${api_token}`).toString('base64')}`,
    words: { signIn: SIGN_IN, hiddenProject: settings.api_base_url === undefined ? HIDDEN_PROJECT : '' },
  };
}
