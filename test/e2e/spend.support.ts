import { randomUUID } from 'node:crypto';
import { newId, SpendGuard, type SpendRequest, type SpendVerdict } from '#core';
import { UsageIngestion } from '#usage';
import type { Call, TestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';

/** A model at a dollar per million tokens, input and output: a token costs a millionth of a dollar. */
export const MODEL = { provider: 'acme', model: 'acme-1' };

/** A separate organization with a user in Sales, and the replica that serves it. */
export interface Shop {
  app: TestApp;
  orgId: string;
  call: Call;
  userId: string;
}

/** Creates an organization in which {@link MODEL} has its price. */
export async function openShop(app: TestApp): Promise<Shop> {
  const { orgId, call } = await app.addOrganization();
  await expectStatus(200, call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 }));
  return { app, orgId, call, userId: await addPerson(call, 'Sales') };
}

/** Creates a user and returns the id. */
export async function addPerson(call: Call, department: string): Promise<string> {
  const person = { email: `${randomUUID()}@example.com`, name: 'Ada', department };
  return (await expectStatus(201, call('POST', '/v1/users', person))).id;
}

/** Creates a budget (blocking, monthly, of the organization, unless overridden) and returns its id. */
export async function addBudget(call: Call, amount_usd: number, more: object = {}): Promise<string> {
  const terms = { name: 'Budget', scope: 'organization', amount_usd, period: 'monthly', enforcement: 'block', ...more };
  return (await expectStatus(201, call('POST', '/v1/budgets', terms))).id;
}

/** Asks the guard to reserve this many millionths of a dollar. */
export async function reserve(
  { app, orgId, userId }: Shop,
  micros: number,
  more: Partial<SpendRequest> = {},
): Promise<SpendVerdict | undefined> {
  const at = app.clock.now();
  const request = { decisionId: newId(at), userId, department: 'Sales', ...MODEL, at };
  const guard = app.app.get(SpendGuard, { strict: false });
  return guard.reserve(orgId, { ...request, inputTokens: micros, outputTokens: 0, ...more });
}

/**
 * The id of a successful reservation.
 *
 * @throws Error if it was refused
 */
export async function reserved(shop: Shop, micros: number, more: Partial<SpendRequest> = {}): Promise<string> {
  const verdict = await reserve(shop, micros, more);
  if (!verdict?.allowed) throw new Error(`refused: ${JSON.stringify(verdict)}`);
  return verdict.reservation.id;
}

/** Reports usage of this many millionths of a dollar. */
export async function use(shop: Shop, micros: number, more: Record<string, unknown> = {}): Promise<void> {
  const { app, orgId, userId } = shop;
  const event = {
    id: randomUUID(),
    user_id: userId,
    ...MODEL,
    occurred_at: app.clock.now().toISOString(),
    input_tokens: micros,
    output_tokens: 0,
    ...more,
  };
  const receipt = await app.app.get(UsageIngestion, { strict: false }).record(orgId, [event]);
  if (receipt.rejected.length > 0) throw new Error(JSON.stringify(receipt.rejected));
}

/** `spent + reserved` of a budget's windows, oldest first, in dollars. */
export async function windowsOf(database: TestDatabase, budgetId: string): Promise<string[]> {
  const rows = await database.asOwner<{ state: string }>(
    `select trim_scale(spent_usd) || ' + ' || trim_scale(reserved_usd) as state
     from governance.budget_windows where budget_id = $1 order by window_start`,
    [budgetId],
  );
  return rows.map(({ state }) => state);
}

/** Types and thresholds of the events of an organization's budgets, sorted by text. */
export async function alertsOf(database: TestDatabase, orgId: string): Promise<string[]> {
  const rows = await database.asOwner<{ body: Buffer }>(
    `select body from governance.events where org_id = $1 and type like 'budget%'`,
    [orgId],
  );
  return rows
    .map(({ body }) => JSON.parse(body.toString('utf8')))
    .map(({ type, data }) => `${type} ${data.spent_usd}/${data.amount_usd}`)
    .toSorted();
}

/** Windows with more spent and reserved than their amount, or whose reserved sum is not that of the reservations. */
export async function faultsOf(database: TestDatabase, orgId: string): Promise<object[]> {
  return database.asOwner(
    `select w.budget_id, w.spent_usd, w.reserved_usd, b.amount_usd, h.held
     from governance.budget_windows w join governance.budgets b on b.org_id = w.org_id and b.id = w.budget_id
     cross join lateral (
       select coalesce(sum(r.amount_usd), 0) as held
       from governance.reservations r,
         unnest(r.budget_ids, r.window_starts, r.parts) u(budget_id, window_start, part)
       where r.org_id = w.org_id and u.budget_id = w.budget_id and u.window_start = w.window_start
         and coalesce(u.part, '') = w.part) h
     left join governance.budget_overrides o on o.org_id = w.org_id and o.budget_id = w.budget_id and o.part = w.part
     where w.org_id = $1 and (w.reserved_usd <> h.held
       or b.enforcement = 'block' and w.spent_usd + w.reserved_usd > coalesce(o.amount_usd, b.amount_usd))`,
    [orgId],
  );
}

async function expectStatus(status: number, answer: ReturnType<Call>): Promise<{ id: string }> {
  const { status: actual, body, text } = await answer;
  if (actual !== status) throw new Error(`expected ${status}, got ${actual}: ${text}`);
  return body;
}
