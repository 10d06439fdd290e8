import type { FormSchema } from '../../adapter/itsm-adapter.port.js';
import { urlSetting } from '../../adapter/url-setting.js';

/** What a connector to ServiceNow is set up with. */
export interface ServiceNowSettings {
  readonly instance_url: string;
  /** The name of a group. */
  readonly assignment_group?: string;
}

/** Its account. */
export interface ServiceNowSecrets {
  readonly username: string;
  readonly password: string;
}

export const SETTINGS_SCHEMA: FormSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['instance_url'],
  properties: {
    instance_url: urlSetting({
      title: 'Instance URL',
      description: 'Where the instance is, such as https://example.service-now.com.',
      path: true,
    }),
    assignment_group: {
      type: 'string',
      title: 'Assignment group',
      description:
        'The name of the group that incidents are assigned to. Empty: the instance assigns them. The instance makes the ' +
        'priority from urgency and impact: with its usual matrix critical becomes 1, high 3, medium 4, low 5.',
      maxLength: 80,
    },
  },
};

export const SECRETS_SCHEMA: FormSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['username', 'password'],
  properties: {
    username: {
      type: 'string',
      title: 'Username',
      description:
        'An account for integrations with the role itil, or another that may write incidents. New instances refuse Basic ' +
        'authentication to accounts of people.',
      minLength: 1,
      maxLength: 100,
      // A colon would end the name in Basic authentication (RFC 7617, 2).
      pattern: '^[^:\\u0000-\\u001f\\u007f]+$',
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'The password of that account.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    },
  },
};
