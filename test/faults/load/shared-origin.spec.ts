import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { percentile, report, sleep, until } from '../processes/chance.js';
import { prepareGround, tick, type Ground } from './ground.js';
import type { Arrivals } from './receiver.main.js';

/** More connections than a client usually opens to one origin. */
const HANGING = 160;
const FIRE_EVERY_MS = 250;
/** Shorter than the timeout of an attempt, so that no hanging attempt has ended before the last event is fired. */
const FIRING_MS = 8_000;
/** A delivery that waits for the connection of a hanging attempt is nine to fifteen seconds late. */
const LATE_MS = 6_000;

let ground: Ground;

beforeAll(async () => {
  ground = await prepareGround(1, { concurrency: 256, concurrencyPerWebhook: 16 });
});

afterAll(() => ground?.close());

describe('160 hanging webhooks of one origin', () => {
  it('do not delay the deliveries of another webhook of that origin', async () => {
    const { orgId, call } = await ground.app.addOrganization();
    const [origin] = ground.urls;
    const hanging = Array.from({ length: HANGING }, () =>
      ground.webhook(call, new URL('/hangs', origin).href, ['budget_warning']),
    );
    await Promise.all(hanging);
    await ground.webhook(call, new URL('/answers', origin).href, ['policy_violation']);
    await ground.fire(orgId, 'budget_warning', 2);
    const arrivedAt = new Map<string, number>();
    let toHanging = 0;
    const take = async (): Promise<void> => {
      const { ids, paths, ticks } = await ground.receiver.ask<Arrivals>('take');
      toHanging += paths.filter(path => path === '/hangs').length;
      for (const [at, id] of ids.entries()) if (paths[at] === '/answers') arrivedAt.set(id, ticks[at]!);
    };
    await until('many attempts hang', 8_000, async () => {
      await take();
      return toHanging >= HANGING / 2;
    });
    await sleep(FIRE_EVERY_MS);

    const committedAt = new Map<string, number>();
    for (const begun = tick(); tick() - begun < FIRING_MS; await sleep(FIRE_EVERY_MS)) {
      const [event] = await ground.fire(orgId, 'policy_violation');
      committedAt.set(event!.wireId, tick());
    }
    await until('all have arrived', 20_000, async () => {
      await take();
      return arrivedAt.size === committedAt.size;
    });
    const times = [...committedAt].map(([id, at]) => arrivedAt.get(id)! - at);
    const [p50, max] = [0.5, 1].map(share => Math.round(percentile(times, share)));
    report('ms from commit to arrival beside 160 of the same origin that hang', { p50, max, toHanging });
    expect(max).toBeLessThan(LATE_MS);
  });
});
