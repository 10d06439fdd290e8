import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../../support/test-app.js';
import { refuses } from '../../../support/itsm/platform-faults.js';
import { moveTime, type MovedTime } from '../../../support/moved-time.js';
import { until } from '../../../support/webhooks.js';
import { makeDue, wake, type DeskStage } from '../tickets.support.js';
import { KINDS, NAME, startPlatforms, type Platforms } from './platforms.support.js';

/** No process listens at this address. */
const NOBODY = 'https://127.0.0.1:1';

let platforms: Platforms;
/** The clock by which tasks are due. Only the test advances it, so that a ticket waits even on a slow machine. */
let time: MovedTime;

beforeAll(async () => {
  platforms = await startPlatforms();
  time = await moveTime(platforms.app.database, { standsAt: platforms.app.clock.now() });
});

afterAll(() => platforms?.close());

/** Violates a policy. Returns the ticket after its first failed attempt, and the seconds to the next attempt. */
async function waiting(stage: DeskStage): Promise<{ ticket: Answer['body']; seconds: number; elapsed: number }> {
  const begun = performance.now();
  await stage.violate();
  const ticket = await until(async () =>
    (await stage.tickets()).find(each => each.attempts > 0 && each.next_attempt_at),
  );
  const seconds = (Date.parse(ticket.next_attempt_at) - Number(await time.now())) / 1_000;
  return { ticket, seconds, elapsed: (performance.now() - begun) / 1_000 };
}

/** The delay starts when the attempt ends. When the test reads it, up to `elapsed` seconds of it have passed. */
function expectWait({ seconds, elapsed }: { seconds: number; elapsed: number }, wait: number): void {
  expect(seconds).toBeLessThanOrEqual(wait);
  expect(seconds).toBeGreaterThan(wait - elapsed);
}

describe.each(KINDS)('%s: a ticket that was definitely not created', kind => {
  it('is tried again if the connection is refused', async () => {
    const { app } = platforms;
    const stage = await platforms.desk(kind, { instance_url: NOBODY });
    const found = await waiting(stage);
    expect(found.ticket).toMatchObject({ sync_state: 'pending', error_code: 'unreachable' });
    expectWait(found, 1);
    const { settings, secrets } = stage.platform.connector();
    await stage.call('PATCH', `/v1/itsm/connectors/${stage.connector.id}`, { settings, secrets });
    await makeDue(app, stage.orgId);
    await stage.settled('created');
    // The app sends no search, because it knows that no ticket was created.
    expect([stage.platform.posts().length, stage.platform.searches().length]).toEqual([1, 0]);
  });

  it('is tried again if its host name cannot be resolved', async () => {
    const { app, dns } = platforms;
    const { port } = new URL(platforms[kind].endpoint.origin);
    const stage = await platforms.desk(kind, { instance_url: `https://${NAME}:${port}` });
    dns.answer(() => 'nxdomain');
    expect((await waiting(stage)).ticket).toMatchObject({ sync_state: 'pending', error_code: 'unreachable' });
    expect(stage.platform.posts()).toEqual([]);
    dns.answer(name => (name === NAME ? ['127.0.0.1'] : 'nxdomain'));
    await until(async () => {
      await makeDue(app, stage.orgId);
      return (await stage.tickets()).every(({ sync_state: state }) => state === 'created');
    });
    expect([stage.platform.posts().length, stage.platform.searches().length]).toEqual([1, 0]);
  });

  it.each<[string, Record<string, string>, number]>([
    ['after the requested wait', { 'retry-after': '600' }, 600],
    ['after a second if no wait is requested', {}, 1],
    ['after an hour at most', { 'retry-after': '90000' }, 3_600],
  ])('is tried again after a 429, %s', async (_what, headers, wait) => {
    const { app } = platforms;
    const stage = await platforms.desk(kind);
    let refused = 0;
    stage.platform.meets(duty => {
      refused += 1;
      return refused > 1 ? duty() : refuses(429, {}, headers)(duty);
    });
    const found = await waiting(stage);
    expect(found.ticket).toMatchObject({ sync_state: 'pending', error_code: 'unreachable', attempts: 1 });
    expectWait(found, wait);
    app.clock.advance(wait * 1_000);
    await time.advance(wait * 1_000);
    await wake(app);
    const [created] = await stage.settled('created');
    expect(created).toMatchObject({ attempts: 2 });
    expect(stage.platform.searches()).toEqual([]);
    expect(stage.platform.there()).toHaveLength(1);
  });
});
