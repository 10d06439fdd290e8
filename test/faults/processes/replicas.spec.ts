import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answer } from '../../support/endpoint-behaviours.js';
import { IS_FULL, report } from './chance.js';
import { interruptions, postsByDelivery, postsOf, senderOf } from './ledger.js';
import { setStage, type Stage } from './stage.js';

const DELIVERIES = IS_FULL ? 10_000 : 2_000;
const WEBHOOKS = 10;
const REPLICAS = ['R1', 'R2', 'R3', 'R4'];
/** One in this many deliveries fails at first, so that any replica may make the second attempt. */
const FAILS_ONCE = 10;

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage?.close());

describe('four replicas on one database', () => {
  it(
    'make exactly one POST per attempt',
    async () => {
      const failed = new Set<string>();
      stage.endpoint.behave(({ headers, path }, n) => {
        const delivery = `${String(headers['webhook-id'])} ${path}`;
        if (n % FAILS_ONCE > 0 || failed.has(delivery)) return answer(200);
        failed.add(delivery);
        return answer(503);
      });
      for (let webhook = 1; webhook <= WEBHOOKS; webhook++) await stage.webhook(`/${webhook}`);
      await Promise.all(REPLICAS.map(name => stage.worker({ name })));
      const begun = performance.now();
      for (let fired = 0; fired < DELIVERIES / WEBHOOKS; fired += 20) await stage.fire(20);
      await stage.untilIdle(180_000);
      const seconds = (performance.now() - begun) / 1000;

      expect(stage.complaints()).toEqual([]);
      const ledger = await stage.ledger();
      const posts = postsByDelivery(stage.endpoint.requests);
      expect(ledger).toHaveLength(DELIVERIES);
      for (const delivery of ledger) {
        const isLate = failed.has(`${delivery.eventId} ${delivery.path}`);
        expect(delivery.attempts.map(({ number, httpStatus }) => [number, httpStatus])).toEqual(
          isLate ? [[1, 503], [2, 200]] : [[1, 200]], // prettier-ignore
        );
        expect(postsOf(posts, delivery)).toHaveLength(delivery.attempts.length);
        expect(delivery.status).toBe('delivered');
        expect(interruptions(delivery)).toEqual([]);
      }
      const shares = Object.fromEntries(REPLICAS.map(name => [name, 0]));
      for (const { headers } of stage.endpoint.requests) {
        const name = senderOf(headers['user-agent']);
        shares[name] = (shares[name] ?? 0) + 1;
      }
      report('replicas', { posts: stage.endpoint.requestCount, failedOnce: failed.size, seconds, shares });
      expect(stage.endpoint.requestCount).toBe(DELIVERIES + failed.size);
      expect(failed.size).toBeGreaterThan(DELIVERIES / FAILS_ONCE / 2);
      // Every replica has sent some of the deliveries.
      for (const share of Object.values(shares)) expect(share).toBeGreaterThan(0);
    },
    IS_FULL ? 300_000 : 120_000,
  );
});
