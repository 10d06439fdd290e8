import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { percentile, report } from './chance.js';
import { startBundledApp } from './bundled-app.js';
import { registerWebhooks, untilArrived, watchSchedule } from './schedule.js';
import { setStage, type Stage } from './stage.js';
import type { StandaloneProcess } from '../../support/standalone-process.js';

const WEBHOOKS = 20;
const DELAYS_MS = [0, 1_000, 5_000];
/**
 * Maximum lateness, in addition to that of first attempts. It is less than the delay that a skipped attempt would add.
 * `scripts/webhook-schedule.mjs` measures the lateness.
 */
const LATE_MS = 4_000;
/**
 * Tolerance between two clocks: the app uses the wall clock in whole milliseconds, and the endpoint another clock in
 * fractions of milliseconds.
 */
const CLOCKS_MS = 2;

let stage: Stage;
let app: StandaloneProcess;

beforeAll(async () => {
  stage = await setStage();
  app = await startBundledApp(stage);
});

afterAll(async () => {
  await app?.end('SIGTERM');
  await stage?.close();
});

describe('the first three attempts of the bundled app', () => {
  it('come at once, after one second and after five, each counted from the end of the previous one, and never early', async () => {
    const target = { url: app.url, token: stage.app.adminToken };
    const webhooks = await registerWebhooks(target, stage.endpoint, WEBHOOKS);
    const watch = watchSchedule(target, stage.endpoint, DELAYS_MS, DELAYS_MS.length - 1);
    await watch.ping(webhooks, 150);
    await untilArrived(watch, WEBHOOKS, DELAYS_MS.length, 30_000);
    const lateness = (attempt: number): number[] =>
      [...watch.arrivals.values()].map(arrivals => arrivals[attempt - 1]!.latenessMs);
    for (const attempt of [1, 2, 3]) {
      const [earliest, p50, latest] = [0, 0.5, 1].map(share => Math.round(percentile(lateness(attempt), share)));
      report(`lateness of attempt ${attempt} in ms`, { earliest, p50, latest });
    }
    for (const arrivals of watch.arrivals.values()) expect(arrivals).toHaveLength(DELAYS_MS.length);
    expect(Math.min(...lateness(2), ...lateness(3))).toBeGreaterThanOrEqual(-CLOCKS_MS);
    // On a busy machine, first attempts are late as well.
    const late = LATE_MS + percentile(lateness(1), 0.95);
    expect(percentile([...lateness(2), ...lateness(3)], 0.95)).toBeLessThan(late);
    for (const delivery of await stage.ledger()) expect(delivery.status).toBe('delivered');
  });
});
