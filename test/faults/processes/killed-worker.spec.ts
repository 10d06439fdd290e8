import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GovernedProcess } from '../../support/governed-process.js';
import { claimsByTask, urlOf, watchClaims } from './claims.js';
import { IS_FULL, newChance, report, sleep } from './chance.js';
import { interruptions, postsByDelivery, postsOf } from './ledger.js';
import { answerIn, setStage, type Stage } from './stage.js';

const [EVENTS, KILLS] = IS_FULL ? [10_000, 200] : [700, 6];
const WORKERS = 3;
const SLOTS = 16;
const KILL_EVERY_MS = 1_200;
const FIRE_EVERY_MS = 200;
const ANSWERS_WITHIN_MS = 400;
const SENT_AGAIN_WITHIN_MS = 25_000;

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage?.close());

describe('workers that are killed at any moment', () => {
  it(
    'lose nothing, and send only in-flight deliveries again, with the same id and bytes',
    async () => {
      const chance = newChance();
      report('chance', { seed: chance.seed });
      await watchClaims(stage.app.database);
      stage.endpoint.behave(() => answerIn(chance.below(ANSWERS_WITHIN_MS)));
      await stage.webhook();
      const killedAt = new Map<string, number>();
      await Promise.all([fireAll(), killAll(killedAt, chance.below)]);
      await stage.untilIdle(60_000);
      expect(stage.complaints()).toEqual([]);
      expect(killedAt.size).toBe(KILLS);

      const ledger = await stage.ledger();
      const claims = await claimsByTask(stage.app.database);
      const posts = postsByDelivery(stage.endpoint.requests);
      const sentAgainMs: number[] = [];
      const leasedMs: number[] = [];
      let [inFlight, duplicates, shown] = [0, 0, 0];
      expect(ledger).toHaveLength(EVENTS);
      expect(posts.size).toBe(EVENTS);
      for (const delivery of ledger) {
        const sent = postsOf(posts, delivery);
        const cut = claims.get(delivery.id)!.filter(claim => !claim.hasEnded);
        expect(delivery.status).toBe('delivered');
        for (const post of sent) expect(post.body.equals(delivery.body)).toBe(true);
        // Each sender whose POST was repeated was killed while it held the lease.
        const senders = sent.slice(0, -1).map(post => post.by);
        expect(cut.map(claim => claim.by)).toEqual(expect.arrayContaining(senders));
        for (const { by, at } of cut) {
          const next = claims.get(delivery.id)!.find(claim => claim.at > at);
          const post = sent.find(({ arrivedAt, by: sender }) => sender === next!.by && arrivedAt > at);
          // Without a POST, the process that took the delivery over was killed before it had sent anything.
          sentAgainMs.push((post?.arrivedAt ?? next!.at) - killedAt.get(by)!);
          leasedMs.push(next!.at - at);
        }
        inFlight += cut.length;
        duplicates += senders.length;
        shown += interruptions(delivery).length;
        for (const { startedAt } of interruptions(delivery)) {
          expect(cut.some(claim => Math.abs(claim.at - startedAt) < 1_000)).toBe(true);
        }
      }
      const latest = Math.round(Math.max(...sentAgainMs));
      // Reports the delay of first attempts for comparison. On a busy machine, they are late as well.
      const waitedMs = Math.round(Math.max(...ledger.map(({ id, createdAt }) => claims.get(id)![0]!.at - createdAt)));
      report('waiting', { firstAttemptMs: waitedMs, leasedMs: Math.round(Math.max(...leasedMs)) });
      report('killed workers', {
        events: EVENTS,
        kills: KILLS,
        inFlight,
        shown,
        duplicates,
        latestSentAgainMs: latest,
      });
      // There were enough repeated POSTs, so enough attempts were interrupted.
      expect(duplicates).toBeGreaterThan(KILLS / 4);
      expect(duplicates).toBeLessThanOrEqual(inFlight);
      expect(inFlight).toBeLessThanOrEqual(KILLS * SLOTS);
      expect(latest).toBeLessThan(SENT_AGAIN_WITHIN_MS + waitedMs);
    },
    IS_FULL ? 1_500_000 : 300_000,
  );
});

/** Fires all events, in bursts, during the kills. */
async function fireAll(): Promise<void> {
  const bursts = Math.ceil((KILLS * KILL_EVERY_MS) / FIRE_EVERY_MS);
  for (let fired = 0, burst = 1; burst <= bursts; burst++) {
    const due = Math.round((EVENTS * burst) / bursts) - fired;
    if (due > 0) await stage.fire(due);
    fired += due;
    await sleep(FIRE_EVERY_MS);
  }
}

/** Kills one worker after the other. Replaces each killed worker while the other workers continue. */
async function killAll(killedAt: Map<string, number>, below: (limit: number) => number): Promise<void> {
  const working: GovernedProcess[] = [];
  let started = 0;
  const start = async (): Promise<void> => {
    started += 1;
    const name = `W${started}`;
    const databaseUrl = urlOf(stage.app.database, name);
    working.push(await stage.worker({ name, databaseUrl, concurrencyPerWebhook: SLOTS }));
  };
  await Promise.all(Array.from({ length: WORKERS }, start));
  let replacements = Promise.resolve();
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(below(2 * KILL_EVERY_MS));
    if (working.length < 2) await replacements;
    const [victim] = working.splice(below(working.length), 1);
    if (!victim) throw new Error('no worker is left');
    killedAt.set(victim.name, Date.now());
    await victim.end('SIGKILL');
    const replacement = start();
    replacements = Promise.all([replacements, replacement]).then(() => undefined);
  }
  await replacements;
}
