import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answer } from '../../support/endpoint-behaviours.js';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { startBundledApp } from './bundled-app.js';
import { report, until } from './chance.js';
import { interruptions, postsByDelivery, postsOf } from './ledger.js';
import { answerIn, setStage, type Stage } from './stage.js';

const SLOW_MS = 6_000;
const WEBHOOKS = 10;
const EVENTS = 4;

let stage: Stage;
const running: StandaloneProcess[] = [];

beforeAll(async () => {
  stage = await setStage();
});

afterAll(async () => {
  for (const app of running) if (!app.hasEnded()) await app.end('SIGTERM');
  await stage?.close();
});

describe('the bundled app after SIGTERM', () => {
  it('finishes the running attempts, and another replica makes the later ones', async () => {
    // Half of the webhooks answer slowly. The other half fail at first. Their deliveries are due again after one and
    // five seconds.
    const failures = new Map<string, number>();
    stage.endpoint.behave(({ headers, path }) => {
      if (Number(path.slice(1)) <= WEBHOOKS / 2) return answerIn(SLOW_MS);
      const delivery = `${String(headers['webhook-id'])} ${path}`;
      const before = failures.get(delivery) ?? 0;
      failures.set(delivery, before + 1);
      return answer(before < 2 ? 500 : 200);
    });
    for (let webhook = 1; webhook <= WEBHOOKS; webhook++) await stage.webhook(`/${webhook}`);
    const ending = await startBundledApp(stage, undefined, { GOVERNANCE_SERVICE_NAME: 'Ending' });
    running.push(ending);
    await stage.fire(EVENTS);
    // At first, a webhook gets only two requests in parallel, so half of the slow deliveries wait for a slot.
    const slow = (): number =>
      stage.endpoint.requests.filter(({ path }) => Number(path.slice(1)) <= WEBHOOKS / 2).length;
    await until('the slow ones and the failing ones are under way', 10_000, () => slow() >= WEBHOOKS / 2 && failures.size === (EVENTS * WEBHOOKS) / 2); // prettier-ignore
    const inFlight = slow();
    const ended = ending.end('SIGTERM');
    const other = startBundledApp(stage, undefined, { GOVERNANCE_SERVICE_NAME: 'Other' });
    const { code, milliseconds } = await ended;
    running.push(await other);
    await stage.untilIdle(60_000);

    const ledger = await stage.ledger();
    const posts = postsByDelivery(stage.endpoint.requests);
    report('ended worker', { inFlight, endedAfterMs: milliseconds, posts: stage.endpoint.requestCount });
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(15_000);
    // The process ended late, so the worker did wait for answers that came long after SIGTERM.
    expect(milliseconds).toBeGreaterThan(SLOW_MS / 2);
    expect(ledger).toHaveLength(EVENTS * WEBHOOKS);
    let byOther = 0;
    for (const delivery of ledger) {
      const sent = postsOf(posts, delivery);
      const isSlow = Number(delivery.path.slice(1)) <= WEBHOOKS / 2;
      expect(delivery.attempts.map(({ httpStatus }) => httpStatus)).toEqual(isSlow ? [200] : [500, 500, 200]);
      expect(sent).toHaveLength(delivery.attempts.length);
      expect(interruptions(delivery)).toEqual([]);
      expect(delivery.status).toBe('delivered');
      byOther += sent.filter(({ by }) => by === 'Other').length;
    }
    expect(byOther).toBeGreaterThan(0);
  });
});
