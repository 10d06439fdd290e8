import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../../support/test-app.js';
import { refuses, type Fault, type FaultName } from '../../../support/itsm/platform-faults.js';
import { until } from '../../../support/webhooks.js';
import { hurry, type DeskStage } from '../tickets.support.js';
import { KINDS, NAME, startPlatforms, type Platforms } from './platforms.support.js';

/** Nobody listens there. */
const NOBODY = 'https://127.0.0.1:1';

let platforms: Platforms;

beforeAll(async () => {
  platforms = await startPlatforms();
});

afterAll(() => platforms?.close());

/** The ticket, once an attempt has come to nothing; and in how many seconds the next one is. */
async function waiting({ tickets }: DeskStage): Promise<{ ticket: Answer['body']; seconds: number }> {
  const ticket = await until(async () => (await tickets()).find(each => each.attempts > 0 && each.next_attempt_at));
  return { ticket, seconds: (Date.parse(ticket.next_attempt_at) - Date.now()) / 1_000 };
}

describe.each(KINDS)('%s: a ticket that provably was not created', kind => {
  it('is tried again where the connection is refused', async () => {
    const { app } = platforms;
    const stage = await platforms.desk(kind, { instance_url: NOBODY });
    await stage.violate();
    const { ticket, seconds } = await waiting(stage);
    expect(ticket).toMatchObject({ sync_state: 'pending', error_code: 'unreachable' });
    expect(seconds).toBeLessThanOrEqual(30);
    const { settings, secrets } = stage.platform.connector();
    await stage.call('PATCH', `/v1/itsm/connectors/${stage.connector.id}`, { settings, secrets });
    await hurry(app, stage.orgId);
    await stage.settled('created');
    // Nothing was there to be found.
    expect([stage.platform.posts().length, stage.platform.searches().length]).toEqual([1, 0]);
  });

  it('is tried again where its name is not known', async () => {
    const { app, dns } = platforms;
    const { port } = new URL(platforms[kind].endpoint.origin);
    const stage = await platforms.desk(kind, { instance_url: `https://${NAME}:${port}` });
    dns.answer(() => 'nxdomain');
    await stage.violate();
    expect((await waiting(stage)).ticket).toMatchObject({ sync_state: 'pending', error_code: 'unreachable' });
    expect(stage.platform.posts()).toEqual([]);
    dns.answer(name => (name === NAME ? ['127.0.0.1'] : 'nxdomain'));
    await until(async () => {
      await hurry(app, stage.orgId);
      return (await stage.tickets()).every(({ sync_state: state }) => state === 'created');
    });
    expect([stage.platform.posts().length, stage.platform.searches().length]).toEqual([1, 0]);
  });

  it.each<[string, FaultName | Fault, number, number]>([
    ['as long as it asks', refuses(429, {}, { 'retry-after': '600' }), 590, 601],
    ['after a second where it does not say', 'no more for now', -5, 1],
    ['an hour at most', refuses(429, {}, { 'retry-after': '90000' }), 3_590, 3_601],
  ])('is tried again after a 429, %s', async (_what, fault, least, most) => {
    const { app } = platforms;
    const stage = await platforms.desk(kind);
    let refused = 0;
    stage.platform.meets(duty => {
      refused += 1;
      if (refused > 1) return duty();
      return (typeof fault === 'string' ? refuses(429, {}) : fault)(duty);
    });
    await stage.violate();
    if (least > 0) {
      const { ticket, seconds } = await waiting(stage);
      expect(ticket).toMatchObject({ sync_state: 'pending', error_code: 'unreachable' });
      expect(seconds).toBeGreaterThan(least);
      expect(seconds).toBeLessThan(most);
      app.clock.advance(3_600_001);
      await hurry(app, stage.orgId);
    }
    const [ticket] = await stage.settled('created');
    expect(ticket).toMatchObject({ attempts: 2 });
    expect(stage.platform.searches()).toEqual([]);
    expect(stage.platform.there()).toHaveLength(1);
  });
});
