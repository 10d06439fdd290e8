import type { Receivers } from './receivers.js';
import { RECEIVERS } from './receivers.js';

/** The users of the campaign, grouped by their role in it, with their ids. */
export interface People {
  /** Sales: budgets apply to their calls. */
  readonly spenders: readonly string[];
  /** Research: their usage is reported without a decision, and a limit applies to their decisions. */
  readonly researchers: readonly string[];
  /** Support: they call through the gateway. */
  readonly callers: readonly string[];
  /** Users of models that policies block or report. */
  readonly violators: readonly string[];
  /** Users who need approvals. */
  readonly contractors: readonly string[];
  /** Users who are suspended and reinstated. */
  readonly guests: readonly string[];
}

/** The organization after its setup. */
export interface Organization {
  readonly people: People;
  /** Signing secrets of the webhooks, by receiver. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Tokens of the callers, in order. */
  readonly callerTokens: readonly string[];
}

type Post = (path: string, body: object, method?: 'POST' | 'PUT') => Promise<Record<string, unknown>>;

const SIZES = { spenders: 6, researchers: 6, callers: 3, violators: 24, contractors: 3, guests: 5 };
const DEPARTMENTS: Record<keyof typeof SIZES, string> = {
  spenders: 'Sales',
  researchers: 'Research',
  callers: 'Support',
  violators: 'Operations',
  contractors: 'Contractors',
  guests: 'Guests',
};

/**
 * Sets up an organization through a replica: users, prices, policies, budgets, a limit, webhooks, a provider, a
 * connector.
 */
export async function setUpOrganization(
  url: string,
  token: string,
  outside: {
    receivers: Receivers;
    provider: { url: string; key: string };
    connectors: readonly object[];
  },
): Promise<Organization> {
  const post = poster(url, token);
  const people = {} as Record<keyof typeof SIZES, string[]>;
  for (const [group, size] of Object.entries(SIZES) as [keyof typeof SIZES, number][]) {
    people[group] = [];
    for (let n = 1; n <= size; n++) {
      const person = { email: `${group}-${n}@example.com`, name: `${group} ${n}`, department: DEPARTMENTS[group] };
      people[group].push(String((await post('/v1/users', person))['id']));
    }
  }
  // A token costs a millionth of a dollar.
  const price = { provider: 'acme', model: 'acme-*', input_per_million_usd: 1, output_per_million_usd: 1 };
  await post('/v1/prices', price, 'PUT');
  await post('/v1/policies', { name: 'Forbidden', action: 'block', model: 'forbidden-*' });
  await post('/v1/policies', { name: 'Risky', action: 'alert', model: 'risky-*' });
  await post('/v1/policies', { name: 'Ask first', action: 'require_approval', model: 'ask-*' });
  const budget = { period: 'monthly', enforcement: 'block' };
  await post('/v1/budgets', { ...budget, name: 'Sales', scope: 'department', department: 'Sales', amount_usd: 4 });
  await post('/v1/budgets', { ...budget, name: 'One', scope: 'user', user_id: people.spenders[0], amount_usd: 0.5 });
  await post('/v1/budgets', { ...budget, name: 'Model', scope: 'model', model: 'acme-1', amount_usd: 1_000 });
  await post('/v1/budgets', {
    ...budget,
    name: 'Gateway',
    scope: 'department',
    department: 'Support',
    amount_usd: 500,
  });
  await post('/v1/limits', { name: 'Limited', scope: 'model', model: 'limited-1', requests_per_minute: 60 });
  const secrets: Record<string, string> = {};
  for (const name of RECEIVERS) {
    const webhook = await post('/v1/webhooks', { url: new URL(`/${name}`, outside.receivers.endpoint.url).href });
    secrets[name] = String(webhook['signing_secret']);
  }
  const { provider } = outside;
  const gateway = { kind: 'openai', base_url: provider.url, secrets: { api_key: provider.key } };
  await post('/v1/gateway/providers/openai', gateway, 'PUT');
  for (const connector of outside.connectors) await post('/v1/itsm/connectors', connector);
  const callerTokens: string[] = [];
  for (const id of people.callers) {
    const made = await post('/v1/tokens', { name: 'Caller', role: 'member', user_id: id });
    callerTokens.push(String(made['token']));
  }
  return { people, secrets, callerTokens };
}

function poster(url: string, token: string): Post {
  return async (path, body, method = 'POST') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { ...{ method, headers }, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
}
