import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FiredEvent } from '#outbox';
import { IS_FULL, percentile, report, sleep, until } from '../processes/chance.js';
import { prepareGround, type Ground } from './ground.js';
import type { Memory } from './measured-worker.main.js';
import type { Arrivals } from './receiver.main.js';

const DELIVERIES = IS_FULL ? 100_000 : 6_000;
const ENDPOINTS = 10;
const EVENTS = DELIVERIES / ENDPOINTS;
const EVENTS_AT_ONCE = 100;
const WARM_UP = 200;
/** Parallel requests to one endpoint. */
const WINDOW = 16;
/**
 * How far deliveries may arrive out of order. Parallel requests on open connections overtake a request that waits for a
 * new connection.
 */
const OVERTAKING = 2 * WINDOW;
const MIB = 2 ** 20;
const MEMORY_MAX = 100 * MIB;
/** Measurements are rare, because each one collects the garbage of the whole heap. */
const MEASURED_EVERY_MS = 1_000;

let ground: Ground;
let webhooks: string[];

beforeAll(async () => {
  ground = await prepareGround(ENDPOINTS, { concurrency: 256, concurrencyPerWebhook: WINDOW });
  webhooks = await Promise.all(ground.urls.map(url => ground.webhook(ground.app.call, url)));
});

afterAll(() => ground?.close());

async function setEnabled(enabled: boolean): Promise<void> {
  const answers = await Promise.all(webhooks.map(id => ground.app.call('PATCH', `/v1/webhooks/${id}`, { enabled })));
  expect(answers.map(({ status }) => status)).toEqual(webhooks.map(() => 200));
}

async function fire(count: number): Promise<FiredEvent[]> {
  const fired: FiredEvent[] = [];
  while (fired.length < count) {
    const next = Math.min(EVENTS_AT_ONCE, count - fired.length);
    fired.push(...(await ground.fire(ground.app.orgId, 'policy_violation', next)));
  }
  return fired;
}

/** For each delivery, its distance from the youngest delivery that its endpoint had received before it. */
function placesBehind({ ids, endpoints }: Arrivals, order: ReadonlyMap<string, number>): number[] {
  const youngest = Array.from({ length: ENDPOINTS }, () => -1);
  return ids.map((id, at) => {
    const endpoint = endpoints[at]!;
    const place = order.get(id)!;
    const behind = Math.max(0, youngest[endpoint]! - place);
    youngest[endpoint] = Math.max(youngest[endpoint]!, place);
    return behind;
  });
}

describe(`${DELIVERIES} deliveries that wait`, () => {
  it(
    'are each sent once, the oldest of an endpoint first, without using more memory',
    async () => {
      await fire(WARM_UP);
      await until('it is warm', 30_000, async () => (await ground.receiver.ask('count')) === WARM_UP * ENDPOINTS);
      await setEnabled(false);
      await ground.receiver.ask('take');
      const order = new Map((await fire(EVENTS)).map(({ wireId }, place) => [wireId, place]));
      expect(await ground.receiver.ask('count')).toBe(0);

      const before = await ground.worker.ask<Memory>('memory');
      const most = { ...before };
      await setEnabled(true);
      const begun = performance.now();
      for (let left = 1; left > 0; await sleep(MEASURED_EVERY_MS)) {
        const now = await ground.worker.ask<Memory>('memory');
        most.heap = Math.max(most.heap, now.heap);
        most.rss = Math.max(most.rss, now.rss);
        const [row] = await ground.app.database.asOwner<{ left: number }>(
          'select count(*)::int as left from governance.tasks',
        );
        left = row!.left;
      }
      const seconds = (performance.now() - begun) / 1_000;

      const arrivals = await ground.receiver.ask<Arrivals>('take');
      const behind = placesBehind(arrivals, order);
      report('backlog', {
        deliveries: arrivals.ids.length,
        perSecond: Math.round(DELIVERIES / seconds),
        heapGrowthMiB: Math.round((most.heap - before.heap) / MIB),
        rssGrowthMiB: Math.round((most.rss - before.rss) / MIB),
        placesBehind: { p50: percentile(behind, 0.5), p99: percentile(behind, 0.99), most: percentile(behind, 1) },
      });
      // Nothing is lost and nothing is sent twice.
      const sent = new Set(arrivals.ids.map((id, at) => `${arrivals.endpoints[at]} ${id}`));
      expect(arrivals.ids.filter(id => !order.has(id))).toEqual([]);
      expect(sent.size).toBe(DELIVERIES);
      expect(arrivals.ids).toHaveLength(DELIVERIES);
      const statuses = await ground.app.database.asOwner(
        'select status, count(*)::int as count from governance.webhook_deliveries group by status',
      );
      expect(statuses).toEqual([{ status: 'delivered', count: DELIVERIES + WARM_UP * ENDPOINTS }]);

      expect(percentile(behind, 1)).toBeLessThanOrEqual(OVERTAKING);
      expect(most.heap - before.heap).toBeLessThan(MEMORY_MAX);
      expect(most.rss - before.rss).toBeLessThan(MEMORY_MAX);
    },
    IS_FULL ? 600_000 : 120_000,
  );
});
