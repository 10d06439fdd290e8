import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/test-app.js';
import { fireEvents, registerWebhook } from '../../support/webhooks.js';
import { report, sleep, until } from '../processes/chance.js';
import { answerIn } from '../processes/stage.js';
import { prepareReplicas, type Replicas } from './replicas.js';

const ROUNDS = 6;
const WEBHOOKS = 6;
const FIRING = 6;
/**
 * Duration of a round. It includes second attempts, so that some attempts finish their delivery and others schedule a
 * retry.
 */
const ROUND_MS = 1_400;
/** Long enough that the workers can deliver some of the events. */
const FIRE_EVERY_MS = 20;
/** Time for the next poll of the workers, which finds deliveries that were committed too late for the deletion. */
const FOUND_WITHIN_MS = 20_000;

// Counts pending deliveries of deleted webhooks.
const LOST = `
select count(*)::int as count from governance.webhook_deliveries d
where d.status = 'pending' and not exists (select from governance.webhooks w where w.id = d.webhook_id)`;

let replicas: Replicas;
let events: TestApp;
let deletes: TestApp;

beforeAll(async () => {
  replicas = await prepareReplicas();
  events = await replicas.start();
  deletes = await replicas.start();
});

afterAll(() => replicas?.close());

async function register(path: string): Promise<string> {
  const { id } = await registerWebhook(deletes.call, { url: new URL(path, replicas.endpoint.url).href });
  return String(id);
}

describe('webhooks that are deleted while events commit and outcomes are written', () => {
  it('are deleted by the first request, and leave no waiting delivery', async () => {
    const end = new AbortController();
    const fire = async (): Promise<void> => {
      for (; !end.signal.aborted; await sleep(FIRE_EVERY_MS)) await fireEvents(events, events.orgId);
    };
    const answers: number[] = [];
    const firing = Array.from({ length: FIRING }, fire);
    for (let round = 0; round < ROUNDS; round++) {
      replicas.endpoint.behave(answerIn(20, 500));
      const names = Array.from({ length: WEBHOOKS }, (_, at) => `/${round}-${at}`);
      const ids = await Promise.all(names.map(register));
      await sleep(ROUND_MS / 2);
      replicas.endpoint.behave(answerIn(20, 200));
      await sleep(ROUND_MS / 2);
      const deleted = await Promise.all(ids.map(id => deletes.call('DELETE', `/v1/webhooks/${id}`)));
      answers.push(...deleted.map(({ status }) => status));
    }
    end.abort();
    await Promise.all(firing);
    await until('no delivery is lost', FOUND_WITHIN_MS, async () => {
      const [lost] = await replicas.database.asOwner<{ count: number }>(LOST);
      return lost?.count === 0;
    });
    // Stops the replicas first, because the statistics are complete only when all connections are closed.
    for (const replica of [events, deletes]) await replicas.stop(replica);
    const [figures] = await replicas.database.asOwner(
      `select deadlocks::int, (select count(*)::int from governance.webhook_deliveries) as deliveries,
         (select count(*)::int from governance.webhook_deliveries where status = 'cancelled') as cancelled
       from pg_stat_database where datname = current_database()`,
    );
    report('deletes under traffic', figures ?? {});
    expect(answers).toEqual(answers.map(() => 204));
    expect(figures).toMatchObject({ deadlocks: 0 });
    expect(figures?.['cancelled']).toBeGreaterThan(0);
  });
});
