import { randomUUID } from 'node:crypto';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import type { TestDatabase } from '../../support/test-postgres.js';
import { startBundledApp } from '../processes/bundled-app.js';
import type { Stage } from '../processes/stage.js';

/** A model at a dollar per million tokens, input and output: a token costs a millionth of a dollar. */
export const MODEL = { provider: 'acme', model: 'acme-1' };
/** The request costs three cents. */
export const REQUEST = { ...MODEL, estimated_input_tokens: 10_000, max_output_tokens: 20_000 };

/** The fields of a decision that these tests read. */
export interface Decided {
  id: string;
  allowed: boolean;
  reason: string;
  reservation?: { amount_usd: number };
}

/** A budget's window in the database. */
export interface WindowState {
  budget_id: string;
  window_start: string;
  spent: number;
  reserved: number;
  amount: number;
  /** Sum of the reservations in this window. */
  held: number;
}

/** Sets the price and creates users, each in a department. */
export async function openMarket(stage: Stage, departments: readonly string[]): Promise<string[]> {
  const { call } = stage.app;
  await expectStatus(200, call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 }));
  const users = departments.map(department =>
    expectStatus(201, call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada', department })),
  );
  return (await Promise.all(users)).map(({ id }) => String(id));
}

/** Creates a blocking budget and returns its id. */
export async function setBudget(stage: Stage, amount: number, more: object): Promise<string> {
  const terms = { name: 'Budget', period: 'monthly', enforcement: 'block', amount_usd: amount, ...more };
  return String((await expectStatus(201, stage.app.call('POST', '/v1/budgets', terms))).id);
}

/** Creates a limit and returns its id. */
export async function setLimit(stage: Stage, more: object): Promise<string> {
  const terms = { name: 'Limit', scope: 'organization', ...more };
  return String((await expectStatus(201, stage.app.call('POST', '/v1/limits', terms))).id);
}

/** Replicas of the bundled app, each a process with its own connections. `more` are settings. */
export async function startReplicas(
  stage: Stage,
  count: number,
  databaseUrl?: string,
  more?: Record<string, string>,
): Promise<StandaloneProcess[]> {
  return Promise.all(Array.from({ length: count }, () => startBundledApp(stage, databaseUrl, more)));
}

/** Asks a replica for a decision. Returns undefined if the replica died before it answered. */
export async function decide(
  replica: StandaloneProcess,
  token: string,
  userId: string,
  more: object = {},
): Promise<Decided | undefined> {
  return post<Decided>(replica, token, '/v1/decisions', { ...REQUEST, user_id: userId, ...more });
}

/**
 * Releases the reservation of a decision whose call was not made. Returns false if the replica died before it answered.
 */
export async function giveBack(replica: StandaloneProcess, token: string, { id }: Decided): Promise<boolean> {
  return (await post(replica, token, `/v1/decisions/${id}/release`, {})) !== undefined;
}

/** Reports the usage of a decided call. Returns false if the replica died before it answered. */
export async function settle(
  replica: StandaloneProcess,
  token: string,
  { id }: Decided,
  userId: string,
  tokens: number,
): Promise<boolean> {
  const event = {
    ...MODEL,
    id: `usage of ${id}`,
    user_id: userId,
    decision_id: id,
    occurred_at: new Date().toISOString(),
    input_tokens: tokens,
    output_tokens: 0,
  };
  return (await post(replica, token, '/v1/usage/events', { events: [event] })) !== undefined;
}

/** Counts the items by key. */
export function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/** The current state of all windows. */
export function windowsOf(database: TestDatabase, orgId: string): Promise<WindowState[]> {
  return database.asOwner<WindowState>(
    `select w.budget_id, w.window_start::text, w.spent_usd::float8 as spent, w.reserved_usd::float8 as reserved,
       b.amount_usd::float8 as amount, coalesce((
         select sum(r.amount_usd) from governance.reservations r, unnest(r.budget_ids, r.window_starts, r.parts) c (budget, start, part)
         where r.org_id = w.org_id and c.budget = w.budget_id and c.start = w.window_start
           and coalesce(c.part, '') = w.part), 0)::float8 as held
     from governance.budget_windows w join governance.budgets b on b.org_id = w.org_id and b.id = w.budget_id
     where w.org_id = $1 order by w.budget_id, w.window_start`,
    [orgId],
  );
}

/** Windows with more spent and reserved than their amount, compared exactly as numeric. */
export async function overspent(database: TestDatabase, orgId: string): Promise<object[]> {
  return database.asOwner(
    `select w.budget_id, w.window_start, w.spent_usd::text, w.reserved_usd::text, b.amount_usd::text
     from governance.budget_windows w join governance.budgets b on b.org_id = w.org_id and b.id = w.budget_id
     where w.org_id = $1 and w.spent_usd + w.reserved_usd > b.amount_usd`,
    [orgId],
  );
}

async function post<Body>(
  replica: StandaloneProcess,
  token: string,
  path: string,
  body: object,
): Promise<Body | undefined> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(replica.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    text = await answer.text();
  } catch {
    return undefined;
  }
  // While a replica stops or its database connections are closed, it may refuse a request but must not fail.
  if (answer.status === 503) return undefined;
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Body;
}

async function expectStatus(
  status: number,
  answer: ReturnType<Stage['app']['call']>,
): Promise<Record<string, unknown>> {
  const { status: actual, body, text } = await answer;
  if (actual !== status) throw new Error(`expected ${status}, got ${actual}: ${text}`);
  return body;
}
