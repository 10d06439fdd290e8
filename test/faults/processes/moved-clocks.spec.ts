import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { percentile, report, sleep } from './chance.js';
import { postsByDelivery, postsOf } from './ledger.js';
import { setStage, type Stage } from './stage.js';

const DELIVERIES = 60;
const MINUTE_MS = 60_000;
const APART_MS = 5 * MINUTE_MS;
const DELAYS_MS = [1_000, 5_000];
/** Maximum delay on a busy machine. A worker that used the wrong clock would be minutes late or early. */
const LATE_MS = 30_000;

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage?.close());

describe('two replicas whose clocks differ by five minutes', () => {
  it('keep the schedule as if the clocks agreed', async () => {
    // The times at which failing answers were written, by delivery.
    const answered = new Map<string, number[]>();
    stage.endpoint.behave(({ headers, path }) => ({
      act: ({ response }) => {
        const delivery = `${String(headers['webhook-id'])} ${path}`;
        const before = answered.get(delivery) ?? [];
        response.writeHead(before.length < DELAYS_MS.length ? 500 : 200).end();
        answered.set(delivery, [...before, performance.now()]);
      },
    }));
    for (let webhook = 1; webhook <= 4; webhook++) await stage.webhook(`/${webhook}`);
    await Promise.all([
      stage.worker({ name: 'Slow', clockShiftMs: -APART_MS / 2 }),
      stage.worker({ name: 'Fast', clockShiftMs: APART_MS / 2 }),
    ]);
    for (let fired = 0; fired < DELIVERIES / 4; fired++) {
      await stage.fire(1);
      await sleep(100);
    }
    await stage.untilIdle(30_000);

    expect(stage.complaints()).toEqual([]);
    const ledger = await stage.ledger();
    const posts = postsByDelivery(stage.endpoint.requests);
    const lateness: number[] = [];
    const handovers = new Set<string>();
    expect(ledger).toHaveLength(DELIVERIES);
    for (const delivery of ledger) {
      const sent = postsOf(posts, delivery);
      const ends = answered.get(`${delivery.eventId} ${delivery.path}`)!;
      expect(delivery.status).toBe('delivered');
      expect(sent).toHaveLength(1 + DELAYS_MS.length);
      for (const [at, delay] of DELAYS_MS.entries()) {
        lateness.push(sent[at + 1]!.arrivedTick - ends[at]! - delay);
        handovers.add(`${sent[at]!.by} to ${sent[at + 1]!.by}`);
      }
    }
    const [earliest, p99] = [Math.min(...lateness), percentile(lateness, 0.99)];
    report('moved clocks', { deliveries: DELIVERIES, earliestMs: earliest, p99Ms: p99, handovers: [...handovers] });
    expect(earliest).toBeGreaterThanOrEqual(0);
    expect(p99).toBeLessThan(LATE_MS);
    // In both directions, a replica made an attempt whose delay counts from an end that the other replica had recorded.
    expect([...handovers]).toEqual(expect.arrayContaining(['Slow to Fast', 'Fast to Slow']));

    // Checks that the clocks did differ. Each replica puts its time into its requests.
    const stamps = stage.endpoint.requests.map(({ headers, arrivedAt }) =>
      Math.round((Number(headers['webhook-timestamp']) * 1000 - arrivedAt) / MINUTE_MS),
    );
    expect(Math.max(...stamps) - Math.min(...stamps)).toBeGreaterThanOrEqual(4);
  });
});
