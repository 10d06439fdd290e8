import * as form from '../../adapter/form.js';
import type { FormSchema } from '../../adapter/itsm-adapter.port.js';

/** Settings of a ServiceNow connector. */
export interface ServiceNowSettings {
  readonly instance_url: string;
  /** Name of the assignment group. */
  readonly assignment_group?: string;
  /** Table of the records. Default: `incident`. */
  readonly table?: string;
  /** Urgency and impact for each severity, as `1-2`. */
  readonly priorities?: form.Priorities;
  /** Close code of resolved records. */
  readonly close_code?: string;
  /** Additional fields of each record, by field name. Data policies of the instance may require them. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
}

/** An account, an OAuth client, or both. With both, the client signs in as the account. */
export interface ServiceNowSecrets {
  readonly username?: string;
  readonly password?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
}

const OWN_FIELDS = [
  ...['short_description', 'description', 'urgency', 'impact', 'assignment_group'],
  ...['correlation_id', 'correlation_display', 'sys_id', 'number'],
];

/** The table in which a connector creates records. */
export function tableOf({ table }: ServiceNowSettings): string {
  return table ?? 'incident';
}

export const SETTINGS_SCHEMA: FormSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['instance_url'],
  properties: {
    instance_url: form.url({
      title: 'Instance URL',
      description: 'The URL of your instance, such as https://example.service-now.com.',
      path: true,
    }),
    assignment_group: {
      type: 'string',
      title: 'Assignment group',
      description:
        'Name of the group that incidents are assigned to. If empty, the instance assigns them. The instance ' +
        'derives the priority from urgency and impact: with its default matrix critical becomes 1, high 3, medium ' +
        '4, low 5.',
      maxLength: 80,
    },
    table: {
      type: 'string',
      title: 'Table',
      description: 'Table of the tickets. If empty: incident. For security incidents: sn_si_incident.',
      maxLength: 80,
      pattern: '^[a-z][a-z0-9_]*$',
    },
    priorities: form.priorities(
      'Urgency and impact of each severity, such as 1-1 or 1-2. The instance derives the priority from both. ' +
        'Severities that are left out keep their default.',
      '^[1-3]-[1-3]$',
    ),
    close_code: {
      type: 'string',
      title: 'Close code',
      description:
        'Close code of tickets that are resolved with their incident, as your instance calls it. If empty: Solution ' +
        'provided, and of security incidents: Threat mitigated.',
      minLength: 1,
      maxLength: 40,
    },
    fields: form.fields({
      description:
        'Values of further fields as JSON, by the names of the fields, such as {"caller_id": "<sys_id>", ' +
        '"category": "software"}. Use it for fields that the instance requires. References are sys_ids.',
      reserved: OWN_FIELDS,
      values: { type: ['string', 'number', 'boolean'], maxLength: 4_000 },
    }),
  },
};

export const SECRETS_SCHEMA: FormSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  dependentRequired: {
    ...{ username: ['password'], password: ['username'] },
    ...{ client_id: ['client_secret'], client_secret: ['client_id'] },
  },
  if: { anyOf: [{ required: ['client_id'] }, { required: ['client_secret'] }] },
  else: { required: ['username', 'password'] },
  properties: {
    username: {
      type: 'string',
      title: 'Username',
      description:
        'An integration account with the role itil, or with another role that may write incidents. New instances ' +
        'reject Basic authentication of personal accounts. Leave it empty if the client of OAuth has its own user.',
      minLength: 1,
      maxLength: 100,
      // In Basic authentication, a colon would end the name (RFC 7617, section 2).
      pattern: '^[^:\\u0000-\\u001f\\u007f]+$',
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'Password of the account.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    },
    client_id: {
      type: 'string',
      title: 'Client ID',
      description:
        'For OAuth: the client ID of an entry in the application registry of the instance. With it, tokens are used ' +
        'instead of Basic authentication.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
    },
    client_secret: {
      type: 'string',
      title: 'Client secret',
      description: 'For OAuth: the client secret of the same entry.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    },
  },
};
