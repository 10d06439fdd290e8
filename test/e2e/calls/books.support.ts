import { expect } from '@jest/globals';
import type { ServedCall } from '../../support/providers/ledger.js';
import { until } from '../../support/webhooks.js';
import type { Stage } from './stage.support.js';

/**
 * Prices in dollars per million tokens from the vendors' price lists. They are repeated here, not read from the
 * module's catalog.
 */
const PRICES: Record<string, { input: number; cacheRead: number; cacheWrite: number; output: number }> = {
  'gpt-4o-mini-2024-07-18': { input: 0.15, cacheRead: 0.075, cacheWrite: 0.15, output: 0.6 },
  'gpt-5-mini-2025-08-07': { input: 0.25, cacheRead: 0.025, cacheWrite: 0.25, output: 2 },
  'text-embedding-3-small': { input: 0.02, cacheRead: 0, cacheWrite: 0, output: 0 },
  'claude-haiku-4-5-20251001': { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 },
};

/** The fields of a usage event that the emulated provider also records. */
interface Entry {
  id: string | undefined;
  provider: string;
  model: string;
  input: number;
  output: number;
  cost: number;
}

/** The provider's requests as usage events to be recorded. */
function entryOf(call: ServedCall, provider: string): Entry {
  const model = call.answeredModel ?? '';
  const price = PRICES[model];
  if (price === undefined) throw new Error(`no price of ${model}`);
  const { promptTokens, cachedTokens, cacheWriteTokens, outputTokens } = call;
  const fresh = promptTokens - cachedTokens - cacheWriteTokens;
  const micros =
    fresh * price.input +
    cachedTokens * price.cacheRead +
    cacheWriteTokens * price.cacheWrite +
    outputTokens * price.output;
  return { id: call.answerId, provider, model, input: promptTokens, output: outputTokens, cost: micros / 1e6 };
}

/** The recorded usage of the organization. */
async function recorded({ app, orgId }: Stage): Promise<(Entry & { user: string; decision: string | null })[]> {
  const rows = await app.database.asOwner<Record<string, string | null>>(
    `select id, user_id, provider, model, input_tokens, output_tokens, cost_usd, decision_id
     from governance.usage_events where org_id = $1 order by id`,
    [orgId],
  );
  return rows.map(row => ({
    id: row['id'] ?? undefined,
    user: row['user_id'] ?? '',
    decision: row['decision_id'] ?? null,
    provider: row['provider'] ?? '',
    model: row['model'] ?? '',
    input: Number(row['input_tokens']),
    output: Number(row['output_tokens']),
    cost: Number(row['cost_usd']),
  }));
}

/** Remaining reservations and open calls. */
async function held({ app, orgId }: Stage): Promise<number> {
  const [row] = await app.database.asOwner<{ held: string }>(
    `select (select count(*) from governance.reservations where org_id = $1)
       + (select count(*) from governance.open_calls where org_id = $1) as held`,
    [orgId],
  );
  return Number(row?.held);
}

/**
 * Waits until no call is open, then compares the recorded usage with the served requests, and checks that nothing is
 * reserved. `isNamed`: whether the recorded ids and model versions must be those of the provider.
 */
export async function expectBooksToAgree(stage: Stage, { isNamed = true } = {}): Promise<void> {
  const served: Entry[] = [];
  for (const provider of Object.values(stage.providers)) {
    await provider.idle();
    const billed = provider.served.filter(({ promptTokens }) => promptTokens > 0);
    served.push(...billed.map(call => entryOf(call, provider.kind)));
  }
  // An abandoned call is settled after a delay.
  await until(async () => (await held(stage)) === 0 && (await recorded(stage)).length >= served.length).catch(
    () => undefined,
  );
  const rows = await recorded(stage);
  const expected = served.sort(byId).map(entry => expectationOf(entry, isNamed, stage.people.Sales.id));
  expect(rows.sort(byId)).toEqual(expected);
  expect(await held(stage)).toBe(0);
}

function byId(a: Entry, b: Entry): number {
  return String(a.id) < String(b.id) ? -1 : 1;
}

function expectationOf({ id, provider, model, input, output, cost }: Entry, isNamed: boolean, user: string): object {
  return {
    ...{ user, decision: expect.any(String), provider, input, output },
    id: isNamed && id !== undefined ? id : expect.any(String),
    model: isNamed ? model : expect.any(String),
    cost: expect.closeTo(cost, 12),
  };
}
