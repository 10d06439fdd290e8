import * as form from '../../adapter/form.js';
import type { AdapterContext, FormSchema } from '../../adapter/itsm-adapter.port.js';
import { PROJECT_SETTINGS, type JiraProjectSettings, type JiraSite } from '../jira/jira-site.js';
import { wikiText } from './wiki.js';

/** The secrets: a personal access token, or an account with a password. */
export interface DataCenterSecrets {
  readonly personal_access_token?: string;
  readonly username?: string;
  readonly password?: string;
}

export type DataCenterContext = AdapterContext<JiraProjectSettings, DataCenterSecrets>;

export const SETTINGS_SCHEMA: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['instance_url', 'project_key', 'issue_type'],
  properties: {
    instance_url: form.url({
      title: 'Instance URL',
      description: 'The base URL of your instance, with its context path if it has one: https://example.com/jira.',
      path: true,
    }),
    ...PROJECT_SETTINGS,
  },
};

export const SECRETS_SCHEMA: FormSchema = {
  type: 'object',
  additionalProperties: false,
  dependentRequired: { username: ['password'], password: ['username'] },
  if: { anyOf: [{ required: ['username'] }, { required: ['password'] }] },
  else: { required: ['personal_access_token'] },
  properties: {
    personal_access_token: {
      type: 'string',
      title: 'Personal access token',
      description: 'A token of the account that creates the issues. With it, no user name and password are needed.',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[\\x21-\\x7e]+$',
    },
    username: {
      type: 'string',
      title: 'User name',
      description: 'Only without a token: the user name of the account, not its e-mail address.',
      minLength: 1,
      maxLength: 255,
      // In Basic authentication, a colon would end the user name (RFC 7617, section 2).
      pattern: '^[^:\\u0000-\\u001f\\u007f]+$',
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'Only without a token: the password of the account.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    },
  },
};

const SIGN_IN =
  'Jira does not accept the personal access token, or the user name and password: enter them again. A token may have ' +
  'expired. After failed logins, sign in once in a browser to solve the CAPTCHA.';

/** Client of Jira Data Center's REST API, version 2. */
export function dataCenterSite({ settings, secrets, http, clock }: DataCenterContext): JiraSite {
  const { personal_access_token: token, username = '', password = '' } = secrets;
  const base = settings.instance_url.replace(/\/+$/, '');
  return {
    ...{ settings, http, clock, toComment: wikiText, lists: { types: 'values', fields: 'values' } },
    api: `${base}/rest/api/2`,
    pages: base,
    authorization:
      token === undefined ? `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` : `Bearer ${token}`,
    words: { signIn: SIGN_IN, hiddenProject: '' },
  };
}
