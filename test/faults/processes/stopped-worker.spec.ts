import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { moveTime } from '../../support/moved-time.js';
import { IS_FULL, report, sleep, until } from './chance.js';
import { interruptions, postsByDelivery, postsOf, senderOf } from './ledger.js';
import { answerIn, setStage, type Stage } from './stage.js';

const LEASE_MS = 18_000;
/** The part of a lease that passes in real time. A jump of the database's clock skips the rest. */
const LAST_OF_LEASE_MS = 2_000;
const DELIVERIES = 12;

let stage: Stage;

beforeEach(async () => {
  stage = await setStage();
});

afterEach(() => stage?.close());

/** The number of requests from one replica. */
function sentBy(name: string): number {
  return stage.endpoint.requests.filter(({ headers }) => senderOf(headers['user-agent']) === name).length;
}

/**
 * Stops a worker (SIGSTOP) while POSTs are running. The endpoint answers this many of them while the worker is stopped.
 */
async function stopInFlight(answers: number) {
  stage.endpoint.behave(({ headers }) =>
    senderOf(headers['user-agent']) === 'Stopped' ? answerIn(1_500, answers) : answerIn(4_000),
  );
  for (let webhook = 1; webhook <= DELIVERIES; webhook++) await stage.webhook(`/${webhook}`);
  const worker = await stage.worker({ name: 'Stopped' });
  await stage.fire(1);
  await until('all are under way', 10_000, () => sentBy('Stopped') === DELIVERIES);
  worker.signal('SIGSTOP');
  return worker;
}

/**
 * Advances the database's clock until the leases have almost expired. Returns the time when they expire, and how far
 * the clock was advanced.
 */
async function passTheLeases(): Promise<{ endsAt: number; movedMs: number }> {
  const { database } = stage.app;
  const [leases] = await database.asOwner<{ endsAt: number; lastMs: number }>(
    `select floor(extract(epoch from min(due_at)) * 1000)::float8 as "endsAt",
       (extract(epoch from min(due_at) - governance.now()) * 1000)::float8 as "lastMs" from governance.tasks`,
  );
  if (!leases) throw new Error('nothing is leased');
  const movedMs = IS_FULL ? 0 : Math.max(0, Math.floor(leases.lastMs) - LAST_OF_LEASE_MS);
  await (await moveTime(database)).advance(movedMs);
  return { endsAt: leases.endsAt, movedMs };
}

describe('a worker that is stopped until its lease has ended and then continues', () => {
  it.each([
    ['while another worker handles its tasks', false],
    ['when another worker has finished its tasks', true],
  ])(
    'has its outcomes refused %s',
    async (_when, isFinished) => {
      const worker = await stopInFlight(500);
      const stoppedAt = performance.now();
      await stage.worker({ name: 'Other' });
      const { endsAt, movedMs } = await passTheLeases();
      await until('the other one has taken all over', LEASE_MS + 10_000, () => sentBy('Other') === DELIVERIES);
      const tookOverMs = performance.now() - stoppedAt;
      if (isFinished) await stage.untilIdle(20_000);
      worker.signal('SIGCONT');
      await stage.untilIdle(20_000);
      // Waits so long that any requests which the stopped worker still sends have arrived.
      await sleep(3_000);

      const ledger = await stage.ledger();
      const posts = postsByDelivery(stage.endpoint.requests);
      report('stopped worker', { deliveries: DELIVERIES, posts: stage.endpoint.requestCount, tookOverMs });
      expect(stage.complaints()).toEqual([]);
      expect(ledger).toHaveLength(DELIVERIES);
      for (const delivery of ledger) {
        const sent = postsOf(posts, delivery);
        expect(sent.map(({ by }) => by)).toEqual(['Stopped', 'Other']);
        expect(sent[1]!.arrivedAt + movedMs).toBeGreaterThanOrEqual(endsAt);
        // The stopped worker got a 500, but its outcome was discarded. Otherwise there would be an attempt with number
        // 2.
        expect(delivery.attempts.map(({ number, httpStatus }) => [number, httpStatus])).toEqual([[1, null], [1, 200]]); // prettier-ignore
        expect(interruptions(delivery)).toHaveLength(1);
        expect(delivery.status).toBe('delivered');
      }
      const [hours] = await stage.app.database.asOwner<{ attempts: string }>(
        'select sum(attempts) as attempts from governance.webhook_hours',
      );
      expect(Number(hours?.attempts)).toBe(DELIVERIES);
    },
    120_000,
  );

  it('has its outcomes accepted if no other worker has taken over', async () => {
    const worker = await stopInFlight(200);
    await sleep(3_000);
    worker.signal('SIGCONT');
    await stage.untilIdle(20_000);
    for (const delivery of await stage.ledger()) {
      expect(delivery.attempts.map(({ number, httpStatus }) => [number, httpStatus])).toEqual([[1, 200]]);
      expect(delivery.status).toBe('delivered');
    }
    expect(stage.endpoint.requestCount).toBe(DELIVERIES);
  });
});
