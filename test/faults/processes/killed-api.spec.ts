import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { startBundledApp } from './bundled-app.js';
import { IS_FULL, newChance, report, sleep } from './chance.js';
import { openGate, type PostgresGate } from './postgres-gate.js';
import { setStage, type Stage } from './stage.js';

const KILLS = IS_FULL ? 60 : 8;
/** A kill may miss the moment that the test needs, so there may be several rounds. */
const ROUNDS_MAX = 5;
const CLIENTS = 12;
const POLICIES = ['alert', 'block'];
const WEBHOOKS = 2;
const KILLED_WITHIN_MS = 1_500;
const SLOW_MS = 15;

interface Answered {
  id: string;
  status: number;
  /** Idempotency key of a request that is repeated until it is answered. */
  key: string | undefined;
}

let stage: Stage;
let gate: PostgresGate;
const living: StandaloneProcess[] = [];

beforeAll(async () => {
  stage = await setStage();
  gate = await openGate(Number(new URL(stage.app.database.url).port));
});

afterAll(async () => {
  for (const app of living) await app.end('SIGKILL');
  await stage?.close();
  await gate?.close();
});

describe('an API that is killed at the time of its commits', () => {
  it(
    'stores decisions with all their events and deliveries, or none of them',
    async () => {
      const chance = newChance();
      report('chance', { seed: chance.seed });
      for (let webhook = 1; webhook <= WEBHOOKS; webhook++) await stage.webhook(`/${webhook}`);
      for (const action of POLICIES) await stage.app.call('POST', '/v1/policies', { name: action, action });
      const user = String(
        (await stage.app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id,
      );
      const databaseUrl = gate.urlFor(stage.app.database.url);
      const start = async (): Promise<void> => void living.push(await startBundledApp(stage, databaseUrl));
      await Promise.all([start(), start()]);

      const answered: Answered[] = [];
      const cut = { requests: 0 };
      const killAll = async (): Promise<void> => {
        const over = new AbortController();
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          while (!over.signal.aborted) await decide(client % 2 === 0 ? randomUUID() : undefined, user, answered, cut);
        });
        try {
          for (let kill = 0; kill < KILLS; kill++) {
            // Slows the database down, so that most kills occur between the statements of transactions, or between a
            // commit and its confirmation.
            if (kill % 2 === 0) gate.slowDown(SLOW_MS);
            else gate.slowDown(4 * SLOW_MS, 'COMMIT');
            await sleep(chance.below(KILLED_WITHIN_MS));
            const [victim] = living.splice(0, 1);
            await victim!.end('SIGKILL');
            gate.slowDown(0);
            await start();
          }
        } finally {
          over.abort();
        }
        await Promise.all(clients);
        await stage.untilIdle(60_000);
      };
      // Repeats the rounds until a kill has occurred between a commit and its answer.
      let decisions: Awaited<ReturnType<typeof readDecisions>> = [];
      let rounds = 0;
      while (rounds < ROUNDS_MAX && decisions.length === answered.length) {
        await killAll();
        decisions = await readDecisions();
        rounds++;
      }

      const all = new Map(decisions.map(decision => [decision.id, decision]));
      for (const { events, deliveries, delivered, policies } of decisions) {
        expect(policies).toBe(POLICIES.length);
        expect([events, deliveries, delivered]).toEqual([policies, policies * WEBHOOKS, policies * WEBHOOKS]);
      }
      const [orphans] = await stage.app.database.asOwner<{ count: number }>(ORPHANS);
      expect(orphans?.count).toBe(0);
      // Every answered decision is stored, and repetitions of a request result in one decision.
      for (const { id, status } of answered) expect([status, all.has(id)]).toEqual([200, true]);
      const keys = answered.flatMap(({ key }) => (key === undefined ? [] : [key]));
      expect(decisions.filter(({ key }) => key !== null)).toHaveLength(new Set(keys).size);
      const unanswered = decisions.length - answered.length;
      const figures = {
        kills: KILLS * rounds,
        decisions: decisions.length,
        cutRequests: cut.requests,
        committedUnanswered: unanswered,
      };
      report('killed API', { ...figures, posts: stage.endpoint.requestCount });
      expect(cut.requests).toBeGreaterThan(KILLS);
      expect(unanswered).toBeGreaterThan(0);
      expect(stage.endpoint.requestCount).toBeGreaterThanOrEqual(decisions.length * POLICIES.length * WEBHOOKS);
    },
    IS_FULL ? 600_000 : 300_000,
  );
});

/** Sends one request to a running app. A request with a key is repeated until it is answered. */
async function decide(key: string | undefined, user: string, answered: Answered[], cut: { requests: number }) {
  const request = { user_id: user, provider: 'openai', model: 'gpt-4o', ...(key ? { idempotency_key: key } : {}) };
  for (;;) {
    const app = living[Math.floor(Math.random() * living.length)];
    if (!app) return;
    try {
      const response = await fetch(`${app.url}/v1/decisions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stage.app.adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      const body = (await response.json()) as { id: string };
      answered.push({ id: body.id, key, status: response.status });
      return;
    } catch {
      cut.requests += 1;
      if (key === undefined) return;
      await sleep(20);
    }
  }
}

interface StoredDecision {
  id: string;
  key: string | null;
  policies: number;
  events: number;
  deliveries: number;
  delivered: number;
}

const EVENTS = `
select org_id, id, (convert_from(body, 'UTF8')::jsonb #>> '{data,details,decision_id}')::uuid as decision_id
from governance.events`;

function readDecisions(): Promise<StoredDecision[]> {
  return stage.app.database.asOwner<StoredDecision>(`
    with e as materialized (${EVENTS})
    select d.id, d.idempotency_key as key, jsonb_array_length(d.policies) as policies,
      count(distinct e.id)::int as events, count(w.id)::int as deliveries,
      count(*) filter (where w.status = 'delivered')::int as delivered
    from governance.decisions d left join e on e.org_id = d.org_id and e.decision_id = d.id
    left join governance.webhook_deliveries w on w.org_id = e.org_id and w.event_id = e.id
    group by d.org_id, d.id, d.idempotency_key, d.policies`);
}

const ORPHANS = `
with e as materialized (${EVENTS})
select (count(*) filter (where d.id is null))::int as count
from e left join governance.decisions d on d.org_id = e.org_id and d.id = e.decision_id`;
