import type { AdapterResponse } from '../../adapter/adapter-http.js';
import * as form from '../../adapter/form.js';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import { PlatformApi, withoutSlash } from '../../adapter/platform-api.js';
import { asText, objectIn, quoted, type Reason } from '../../adapter/platform-answer.js';

export const SETTINGS = form.of([], {
  region: form.choice(
    ['us', 'eu'],
    'Service region',
    'eu if the address of your account ends in eu.pagerduty.com. If empty: us.',
  ),
  events_url: form.url({
    title: 'Events URL',
    description: 'Only if events go through a relay of yours, such as https://relay.example.com.',
    path: true,
  }),
  priorities: form.priorities(
    'The alert’s severity for each severity: critical, error, warning or info. ' +
      'Defaults: critical, error, warning and info.',
    '^(critical|error|warning|info)$',
  ),
});

export const SECRETS = form.of(['routing_key'], {
  routing_key: form.text(
    'Integration key',
    'The key of an integration of the type Events API v2 of your service: 32 letters and digits.',
    { minLength: 32, maxLength: 32, pattern: '^[A-Za-z0-9]+$' },
  ),
});

export type Settings = form.Values<typeof SETTINGS>;
export type Secrets = form.Values<typeof SECRETS>;
export type Context = AdapterContext<Settings, Secrets>;

/** Hosts that receive events (https://support.pagerduty.com/main/docs/service-regions). */
const HOSTS = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' } as const;

/** Base URL to which the events of a connector are sent, without a slash at its end. */
export function eventsUrlOf({ region = 'us', events_url }: Settings): string {
  return withoutSlash(events_url ?? HOSTS[region]);
}

export function apiOf({ settings, http, clock }: Context): PlatformApi {
  return new PlatformApi({ name: 'PagerDuty', http, clock, base: eventsUrlOf(settings), headers: {}, reasonIn });
}

/** An answer with status 400 has a list of `errors`. */
function reasonIn(answer: AdapterResponse): Reason {
  const { errors: listed, message } = objectIn(answer) ?? {};
  const errors = (Array.isArray(listed) ? listed : []).flatMap(error => asText(error) ?? []);
  const said = asText(errors.join(' ')) ?? asText(message);
  if (answer.status === 400 && /routing[_ ]key/i.test(errors.join(' '))) {
    return { code: 'auth', message: `PagerDuty does not know the integration key (400): ${quoted(errors.join(' '))}` };
  }
  const fields = errors.map(error => [/'([\w.[\]]+)'/.exec(error)?.[1] ?? '', quoted(error)] as const);
  return { said, fields: Object.fromEntries(fields.filter(([name]) => name !== '')) };
}
