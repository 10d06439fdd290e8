import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { addBudget, addPerson } from '../../e2e/spend.support.js';
import { putProvider } from '../../e2e/gateway/gateway.support.js';
import { startProvider, type Provider } from '../../support/providers/provider.js';
import { createToken } from '../../support/seed.js';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { startBundledApp } from './bundled-app.js';
import { IS_FULL, newChance, report, sleep, until } from './chance.js';
import { setStage, type Stage } from './stage.js';

const KILLS = IS_FULL ? 200 : 5;
const CALLERS = 8;
const KILLED_WITHIN_MS = 600;
/** Number of tokens in a stream. */
const STREAMED = 400;

/** A call from its caller's view. */
interface Seen {
  readonly decisionId: string;
  readonly isStream: boolean;
  /** Number of received tokens. */
  tokens: number;
}

let stage: Stage;
let provider: Provider;
let gateway: StandaloneProcess | undefined;

beforeAll(async () => {
  stage = await setStage();
  provider = await startProvider({ kind: 'openai', keep: false });
  // Streams take 2 seconds. Answers without a stream come at once.
  provider.behave({ outputTokens: STREAMED, delayMs: 5 }, 'gpt-4o');
});

afterAll(async () => {
  await gateway?.end('SIGKILL');
  await stage?.close();
  await provider?.close();
});

describe('a gateway that is killed during answers', () => {
  it(
    'counts the tokens that the callers received, once, and leaves no reservations',
    async () => {
      const chance = newChance();
      const { app } = stage;
      await putProvider(app.call, 'openai', provider);
      const budget = await addBudget(app.call, 1_000);
      const userId = await addPerson(app.call, 'Sales');
      const token = await createToken(app.app, app.orgId, 'member', userId);
      const seen: Seen[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        gateway = await startBundledApp(stage);
        const { url } = gateway;
        const callers = Array.from({ length: CALLERS }, (_, caller) => callUntilKilled(url, token, caller, seen));
        await until('answers pass', 20_000, () => provider.openCalls > 0);
        await sleep(chance.below(KILLED_WITHIN_MS));
        await gateway.end('SIGKILL');
        await Promise.all(callers);
        // Ends the leases, which would otherwise last another minute.
        await app.database.asOwner('update governance.open_calls set lease_until = opened_at');
      }
      gateway = await startBundledApp(stage);
      await until('every call is recorded', 60_000, async () => (await count('governance.open_calls')) === 0);

      const stored = new Map<string, { tokens: number; events: number }>();
      const rows = await app.database.asOwner<{ id: string; tokens: string; events: number }>(STORED);
      for (const { id, tokens, events } of rows) stored.set(id, { tokens: Number(tokens), events });
      for (const { decisionId, tokens } of seen) {
        expect(stored.get(decisionId)).toMatchObject({ events: 1 });
        expect(stored.get(decisionId)?.tokens).toBeGreaterThanOrEqual(tokens);
      }
      const cut = seen.filter(({ isStream, tokens }) => isStream && tokens < STREAMED).length;
      report('killed gateway', {
        ...{ seed: chance.seed, kills: KILLS, answers: seen.length, cut, stored: stored.size },
      });
      expect(cut).toBeGreaterThan(KILLS);
      // If the gateway was killed before it recorded any usage of a call, the reservation of this call lasts until it
      // expires.
      await app.database.asOwner(`update governance.reservations set expires_at = now() - interval '1 second'`);
      await until('nothing is reserved', 90_000, async () => {
        const { body } = await app.call('GET', `/v1/budgets/${budget}`);
        return body.reserved_usd === 0;
      });
    },
    IS_FULL ? 5_400_000 : 300_000,
  );

  // The lease of the killed gateway ends after a minute. Only the long form of the test waits for it.
  if (!IS_FULL) return;
  it('counts the streams of a killed gateway within 105 seconds of the restart', async () => {
    const { app } = stage;
    await putProvider(app.call, 'openai', provider);
    const userId = await addPerson(app.call, 'Sales');
    const token = await createToken(app.app, app.orgId, 'member', userId);
    gateway = await startBundledApp(stage);
    const { url } = gateway;
    const seen: Seen[] = [];
    const callers = [1, 2, 3].map(caller => callUntilKilled(url, token, caller, seen));
    await until('streams pass', 60_000, () => seen.length >= 3);
    await gateway.end('SIGKILL');
    await Promise.all(callers);
    gateway = await startBundledApp(stage);
    const restarted = performance.now();
    const counted = async (): Promise<boolean> => {
      const ids = seen.map(({ decisionId }) => decisionId);
      return (await count(`governance.usage_events where decision_id = any('{${ids.join()}}')`)) === ids.length;
    };
    await until('the streams are counted', 105_000, counted);
    const seconds = Math.round((performance.now() - restarted) / 1_000);
    report('streams of a killed gateway', { streams: seen.length, countedAfterSeconds: seconds });
  }, 600_000);
});

const STORED = `
select decision_id as id, sum(output_tokens)::text as tokens, count(*)::int as events
from governance.usage_events where decision_id is not null group by decision_id`;

async function count(from: string): Promise<number> {
  const [row] = await stage.app.database.asOwner<{ found: number }>(`select count(*)::int as found from ${from}`);
  return row?.found ?? 0;
}

/** Makes calls until the gateway has stopped. Every second caller uses streams. */
async function callUntilKilled(url: string, apiKey: string, caller: number, seen: Seen[]): Promise<void> {
  const client = new OpenAI({ apiKey, baseURL: `${url}/gateway/openai/v1`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  try {
    for (;;) {
      if (caller % 4 === 0) {
        const { data, response } = await client.chat.completions
          .create({ model: 'gpt-4o-mini', messages })
          .withResponse();
        seen.push({ decisionId: decisionOf(response), isStream: false, tokens: data.usage?.completion_tokens ?? 0 });
      } else {
        const { data, response } = await client.chat.completions
          .create({ model: 'gpt-4o', messages, stream: true })
          .withResponse();
        const call: Seen = { decisionId: decisionOf(response), isStream: true, tokens: 0 };
        for await (const chunk of data) {
          if (!chunk.choices[0]?.delta.content) continue;
          if (call.tokens === 0) seen.push(call);
          call.tokens += 1;
        }
      }
    }
  } catch {
    // The gateway was killed, so this caller stops.
  }
}

function decisionOf(response: { headers: Headers }): string {
  return response.headers.get('x-governance-decision-id') ?? '';
}
