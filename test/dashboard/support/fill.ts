/** An organization with some data of every kind, created through the public API. */
import { randomUUID } from 'node:crypto';

/** Calls the API as an administrator and returns the body of the answer. */
export type Api = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** The API at an address, with an access token. Throws on an error status. */
export function apiOf(url: string, token: string): Api {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
}

const PEOPLE = [
  ['Ada Marsh', 'Engineering', 9],
  ['Bruno Keller', 'Engineering', 6],
  ['Chidi Okafor', 'Engineering', 5],
  ['Dana Whitfield', 'Research', 8],
  ['Emre Aydın', 'Research', 4],
  ['Farah Nasser', 'Sales', 3],
  ['Grace Lindqvist', 'Sales', 2],
  ['Hiro Tanaka', 'Support', 2],
  ['Inês Carvalho', 'Support', 1],
  ['Jonas Weber', 'Finance', 1],
  ['<b>Kim</b> "Quote" & Co', 'Marketing', 1],
  ['ليلى حداد', 'Marketing', 1],
] as const;

const MODELS = [
  ['openai', 'gpt-4o', 5],
  ['openai', 'gpt-4o-mini', 9],
  ['anthropic', 'claude-sonnet-4-5', 4],
  ['mistral', 'mistral-large-latest', 2],
  ['acme', 'house-model-1', 1],
] as const;

/**
 * 255 characters that a page must show as text: markup, right-to-left letters and overrides, emoji, no space to wrap
 * at.
 */
const HOSTILE = '<img src=x data-hostile>🚨مرحبا\u202Eabc'.padEnd(253, 'x').slice(0, 253);

/** Users, policies, decisions, incidents, usage of 30 days, budgets, a webhook and a connector. */
export async function fill(api: Api, now = Date.now()): Promise<{ userIds: string[] }> {
  const userIds: string[] = [];
  for (const [name, department] of PEOPLE) {
    const email = `person-${userIds.length + 1}@example.com`;
    userIds.push(String((await api('POST', '/v1/users', { email, name, department }))['id']));
  }
  const [ada = '', bruno = '', chidi = '', dana = '', emre = '', farah = ''] = userIds;
  await api('POST', '/v1/policies', {
    name: 'No preview models',
    action: 'block',
    model: '*-preview',
    severity: 'high',
  });
  await api('POST', '/v1/policies', { name: 'Watch the large model', action: 'alert', model: 'mistral-large*' });
  await api('POST', '/v1/policies', {
    name: 'Ask before o3',
    action: 'require_approval',
    model: 'o3*',
    severity: 'medium',
  });
  await api('POST', '/v1/policies', { name: 'Never export', action: 'block', model: 'export-*', severity: 'critical' });
  const budget = { period: 'monthly', enforcement: 'notify' };
  await api('POST', '/v1/budgets', { ...budget, name: 'Whole organization', scope: 'organization', amount_usd: 900 });
  await api('POST', '/v1/budgets', {
    ...budget,
    name: 'Research',
    scope: 'department',
    department: 'Research',
    amount_usd: 120,
  });
  await api('POST', '/v1/webhooks', { url: 'https://relay.example.com/in', description: '<b>Relay</b> مرحبا 🛰️' });
  await api('POST', '/v1/itsm/connectors', {
    kind: 'servicenow',
    name: 'Service desk <one>',
    active: false,
    settings: { instance_url: 'https://example.service-now.com' },
    secrets: { username: 'governance', password: 'not-the-password' },
  });
  const decide = (user_id: string, provider: string, model: string): Promise<unknown> =>
    api('POST', '/v1/decisions', { user_id, provider, model });
  await decide(ada, 'openai', 'o1-preview');
  await decide(bruno, 'openai', 'o1-preview');
  await decide(chidi, 'mistral', 'mistral-large-latest');
  await decide(dana, 'openai', 'export-everything');
  await decide(emre, 'openai', 'o3');
  await decide(farah, 'openai', 'o3');
  for (const id of userIds) await decide(id, 'openai', 'gpt-4o-mini');
  await api('POST', '/v1/usage/events', { events: usageOf(userIds, now).slice(0, 1000) });
  return { userIds };
}

/** A user, a policy, a budget, a decision and usage, all with hostile names. */
export async function fillHostile(api: Api): Promise<void> {
  const person = { email: 'person-13@example.com', name: HOSTILE, department: HOSTILE };
  const { id } = await api('POST', '/v1/users', person);
  const conditions = { department: { in: [HOSTILE] } };
  const policy = { name: HOSTILE, description: HOSTILE, action: 'block', severity: 'critical', conditions };
  await api('POST', '/v1/policies', policy);
  const budget = { name: HOSTILE, scope: 'department', department: HOSTILE, amount_usd: 1 };
  await api('POST', '/v1/budgets', { ...budget, period: 'monthly', enforcement: 'notify' });
  await api('POST', '/v1/decisions', { user_id: id, provider: HOSTILE, model: HOSTILE });
  const call = {
    id: randomUUID(),
    user_id: id,
    provider: HOSTILE,
    model: HOSTILE,
    occurred_at: new Date().toISOString(),
  };
  await api('POST', '/v1/usage/events', { events: [{ ...call, input_tokens: 5, output_tokens: 5 }] });
}

/** Usage of 30 days: quiet weekends, a few users with most of it, one model without a price. */
function usageOf(userIds: readonly string[], now: number): object[] {
  const events: object[] = [];
  for (let day = 29; day >= 0; day -= 1) {
    const at = new Date(now - day * 86_400_000);
    const isWeekend = at.getUTCDay() % 6 === 0;
    for (const [person, [, , weight]] of PEOPLE.entries()) {
      const models = MODELS.filter((_, model) => (day * 7 + person * 3 + model) % (isWeekend ? 9 : 4) === 0);
      for (const [provider, model, share] of models) {
        const size = weight * share * (1_000 + ((day * 37 + person * 11) % 13) * 220);
        events.push({
          ...{ id: randomUUID(), user_id: userIds[person], provider, model },
          ...{
            input_tokens: size * 14,
            output_tokens: size * 3,
            occurred_at: new Date(at.getTime() - 60_000).toISOString(),
          },
        });
      }
    }
  }
  return events;
}
