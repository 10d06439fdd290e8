import * as form from '../../adapter/form.js';
import type { AdapterContext, FormSchema } from '../../adapter/itsm-adapter.port.js';

/** Where events are sent. */
export interface PagerDutySettings {
  /** Service region of the account. Default: `us`. */
  readonly region?: 'us' | 'eu';
  /** In place of the region's: a relay inside the network, say. */
  readonly events_url?: string;
  /** Severity of the alert by severity of the incident. */
  readonly priorities?: form.Priorities;
}

export interface PagerDutySecrets {
  readonly routing_key: string;
}

export type PagerDutyContext = AdapterContext<PagerDutySettings, PagerDutySecrets>;

/** Where events are taken in (https://support.pagerduty.com/main/docs/service-regions). */
const HOSTS = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' } as const;

/** Where events of a connector are sent, without a slash at its end. */
export function eventsUrlOf({ region = 'us', events_url }: PagerDutySettings): string {
  return (events_url ?? HOSTS[region]).replace(/\/+$/, '');
}

export const PAGERDUTY_SETTINGS: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: [],
  properties: {
    region: {
      type: 'string',
      title: 'Service region',
      description: 'eu if the address of your account ends in eu.pagerduty.com. If empty: us.',
      enum: ['us', 'eu'],
    },
    events_url: form.url({
      title: 'Events URL',
      description: 'Only if events go through a relay of yours, such as https://relay.example.com.',
      path: true,
    }),
    priorities: form.priorities(
      'Severity of the alert by severity as JSON: critical, error, warning or info, such as {"high": "critical"}. ' +
        'Defaults: critical, error, warning and info.',
      '^(critical|error|warning|info)$',
    ),
  },
};

export const PAGERDUTY_SECRETS: FormSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['routing_key'],
  properties: {
    routing_key: {
      type: 'string',
      title: 'Integration key',
      description: 'The key of an integration of the type Events API v2 of your service: 32 letters and digits.',
      minLength: 32,
      maxLength: 32,
      pattern: '^[A-Za-z0-9]+$',
    },
  },
};
