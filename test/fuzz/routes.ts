import type { Call } from '../support/test-app.js';
import { scimCall, USER } from '../e2e/scim/scim.support.js';

/** The request that sends an input of a parser over HTTP. */
export type Send = (input: unknown, ground: Ground) => ReturnType<Call>;

/** The context of the requests. */
export interface Ground {
  orgId: string;
  admin: Call;
  /** Calls the API without a credential. */
  stranger: Call;
  scim: Call;
  userId: string;
}

const json = { 'content-type': 'application/json' };
const scimJson = { 'content-type': 'application/scim+json' };
const textOf = (input: unknown): string => (typeof input === 'string' ? input : (JSON.stringify(input) ?? 'null'));
const encoded = (input: unknown): string => encodeURIComponent(textOf(input).slice(0, 4_000).toWellFormed());
/** Characters that a header may contain. The client refuses others. */
const headerOf = (input: unknown): string =>
  textOf(input)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 4_000);

function post(path: string, type = 'application/json'): Send {
  return (input, { admin }) => admin('POST', path, textOf(input), { 'content-type': type });
}

/** Parsers whose inputs are also sent as complete requests. */
export const ROUTES = new Map<string, Send>([
  [
    'access token',
    (input, { stranger }) => stranger('GET', '/v1/policies', undefined, { authorization: headerOf(input) }),
  ],
  ['body of a token', post('/v1/tokens')],
  ['cursor', (input, { admin }) => admin('GET', `/v1/users?cursor=${encoded(input)}`)],
  ['JSON text', post('/v1/policies')],
  ['usage, JSON', post('/v1/usage/events')],
  ['usage, NDJSON', post('/v1/usage/events', 'application/x-ndjson')],
  ['usage, CloudEvents', post('/v1/usage/events', 'application/cloudevents-batch+json')],
  ['dates and periods', (input, { admin }) => admin('GET', `/v1/usage?start_date=${encoded(input)}`)],
  ['Accept', (input, { admin }) => admin('GET', '/v1/usage', undefined, { accept: headerOf(input) })],
  ['body of a budget', post('/v1/budgets')],
  ['body of a price', (input, { admin }) => admin('PUT', '/v1/prices', textOf(input), json)],
  ['body of a discount', (input, { admin }) => admin('PUT', '/v1/discounts', textOf(input), json)],
  ['body of an exchange rate', (input, { admin }) => admin('PUT', '/v1/exchange-rates', textOf(input), json)],
  ['users, CSV', post('/v1/users/import?dry_run=true', 'text/csv')],
  [
    'certificate request',
    (csr, { stranger }) => stranger('POST', '/v1/devices/enroll', { token: 'x'.repeat(43), csr }),
  ],
  ['body of a user', post('/v1/users')],
  ['SCIM filter', (filter, { scim }) => scim('GET', `/Users?filter=${encoded(filter)}`)],
  ['SCIM PATCH of a user', (body, { scim, userId }) => scim('PATCH', `/Users/${userId}`, textOf(body), scimJson)],
  ['SCIM user', (body, { scim }) => scim('POST', '/Users', textOf(body), scimJson)],
  ['SCIM group', (body, { scim }) => scim('POST', '/Groups', textOf(body), scimJson)],
  ['SCIM list and search', (body, { scim }) => scim('POST', '/Users/.search', textOf(body), scimJson)],
  [
    'If-Match',
    (tag, { scim, userId }) => scim('GET', `/Users/${userId}`, undefined, { 'if-none-match': headerOf(tag) }),
  ],
  ['body of a webhook', post('/v1/webhooks')],
  [
    'settings of a connector',
    (settings, { admin }) => {
      const secrets = { email: 'a@x.example', api_token: 't' };
      return admin('POST', '/v1/itsm/connectors', { kind: 'jira', name: 'Fuzzed', active: false, settings, secrets });
    },
  ],
  ['body of a policy', post('/v1/policies')],
  ['body of a simulation', post('/v1/policies/simulate')],
  ['decision', post('/v1/decisions')],
  ['batch of decisions', post('/v1/decisions/batch')],
  ['ticket report', inbound],
  ['ticket report of Jira', inbound],
  ['ticket report of ServiceNow', inbound],
  [
    'Slack form',
    (form, { stranger }) =>
      stranger('POST', '/v1/integrations/slack/commands', textOf(form), {
        'content-type': 'application/x-www-form-urlencoded',
      }),
  ],
  ['allowed networks', (network, { admin }) => admin('PUT', '/v1/itsm/inbound', { allowed_networks: [network] })],
]);

function inbound(input: unknown, { stranger, orgId }: Ground): ReturnType<Call> {
  return stranger('POST', `/v1/integrations/itsm/webhook/${orgId}`, textOf(input), json);
}

/** A user of an identity provider, for changes. */
export async function prepareGround(orgId: string, admin: Call, stranger: Call, scimBearer: Call): Promise<Ground> {
  const scim = scimCall(scimBearer);
  const { body } = await scim('POST', '/Users', { schemas: [USER], userName: 'ground@x.example' });
  return { orgId, admin, stranger, scim, userId: String(body.id) };
}
