import { randomUUID } from 'node:crypto';
import { GovernedCalls } from '#calls';
import { startProvider, type Provider } from '../../support/providers/provider.js';
import { createToken } from '../../support/seed.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

/** A user of the organization. The department decides the outcome of the user's calls. */
export interface Person {
  id: string;
  /** The user's own credential. */
  token: string;
}

/** The outcome for each department. */
export const DEPARTMENTS = {
  /** Allowed, with a reservation in a blocking budget. */
  Sales: 'allowed',
  /** A policy blocks. */
  Interns: 'blocked',
  /** A budget is used up. */
  Broke: 'out of budget',
  /** A policy requires an approval. */
  Temps: 'approval',
} as const;
export type Department = keyof typeof DEPARTMENTS;

/** An organization with users, policies and budgets, and two providers that it may call. */
export interface Stage {
  app: TestApp;
  calls: GovernedCalls;
  orgId: string;
  providers: Readonly<Record<'openai' | 'anthropic', Provider>>;
  people: Readonly<Record<Department, Person>>;
  /** Resets the providers' records and scripts. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the app and both providers. */
export async function openStage(): Promise<Stage> {
  const providers = {
    openai: await startProvider({ kind: 'openai' }),
    anthropic: await startProvider({ kind: 'anthropic' }),
  };
  const app = await startTestApp({ egress: { allow: ['gateway=127.0.0.0/8'] } });
  const made = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const answer = await app.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const addPerson = async (department: Department): Promise<Person> => {
    const { id } = await made('POST', '/v1/users', {
      ...{ email: `${randomUUID()}@example.com`, name: department, department },
    });
    return { id, token: await createToken(app.app, app.orgId, 'member', id) };
  };
  const people = {
    Sales: await addPerson('Sales'),
    Interns: await addPerson('Interns'),
    Broke: await addPerson('Broke'),
    Temps: await addPerson('Temps'),
  };
  const only = (department: Department): object => ({ conditions: { department: { in: [department] } } });
  await made('POST', '/v1/policies', { name: 'No interns', action: 'block', ...only('Interns') });
  await made('POST', '/v1/policies', { name: 'Ask first', action: 'require_approval', ...only('Temps') });
  const budget = { period: 'monthly', enforcement: 'block' };
  await made('POST', '/v1/budgets', { ...budget, name: 'All', scope: 'organization', amount_usd: 10_000 });
  await made('POST', '/v1/budgets', {
    ...{ ...budget, name: 'Broke', scope: 'department', department: 'Broke', amount_usd: 0.000_000_01 },
  });
  for (const { kind, url, key } of Object.values(providers)) {
    await made('PUT', `/v1/gateway/providers/${kind}`, { kind, base_url: url, secrets: { api_key: key } });
  }
  const clear = async (): Promise<void> => {
    for (const provider of Object.values(providers)) {
      await provider.idle();
      provider.clear();
    }
    await app.database.asOwner('delete from governance.usage_events');
  };
  return {
    app,
    calls: app.app.get(GovernedCalls, { strict: false }),
    orgId: app.orgId,
    providers,
    people,
    clear,
    async close() {
      await app.close();
      await Promise.all(Object.values(providers).map(provider => provider.close()));
    },
  };
}
