import type { JsonObject } from '#core';
import { fieldsSetting } from '../../adapter/fields-setting.js';
import type { AdapterContext, FormSchema } from '../../adapter/itsm-adapter.port.js';
import { prioritiesSetting, type Priorities } from '../../adapter/priorities-setting.js';
import { urlSetting } from '../../adapter/url-setting.js';

/** Where issues are created. */
export interface GitLabSettings {
  /** `https://gitlab.com`, or an instance of one's own, with its path if it has one. */
  readonly instance_url: string;
  /** Id or full path. */
  readonly project: string;
  /** Default: `confidential`. */
  readonly visibility?: 'confidential' | 'members';
  /** A label for each severity, beside the severity itself. */
  readonly priorities?: Priorities;
  /** Further attributes of each issue, by the names of the REST API. */
  readonly fields?: JsonObject;
}

export interface GitLabSecrets {
  readonly access_token: string;
}

export type GitLabContext = AdapterContext<GitLabSettings, GitLabSecrets>;

export const GITLAB_SETTINGS: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['instance_url', 'project'],
  properties: {
    instance_url: urlSetting({
      title: 'Instance URL',
      description: 'https://gitlab.com, or the URL of your instance, such as https://example.com/gitlab.',
      path: true,
    }),
    project: {
      type: 'string',
      title: 'Project',
      description: 'The id of the project, or its full path, such as acme/security/incidents.',
      maxLength: 500,
      pattern: '^([1-9][0-9]*|[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+)$',
    },
    visibility: {
      type: 'string',
      title: 'Visibility',
      description:
        'Who sees the issues. “confidential”, the default: members from the role Planner on. “members”: everybody who ' +
        'sees the project.',
      enum: ['confidential', 'members'],
    },
    priorities: prioritiesSetting(
      'A label by severity as JSON, such as {"critical": "priority::1"}, beside the label that is the severity.',
      '^[^,]*[^,\\s][^,]*$',
    ),
    fields: fieldsSetting({
      description: 'Further attributes of the issues API as JSON, such as {"assignee_ids": [42], "milestone_id": 7}.',
      reserved: ['title', 'description', 'labels', 'add_labels', 'confidential', 'iid', 'created_at'],
    }),
  },
};

export const GITLAB_SECRETS: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['access_token'],
  properties: {
    access_token: {
      type: 'string',
      title: 'Access token',
      description: 'A project access token with the role Reporter and the scope api. It expires within a year.',
      minLength: 6,
      maxLength: 1024,
      pattern: '^[\\x21-\\x7e]+$',
    },
  },
};
