import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReceivedRequest } from '../../support/endpoint-behaviours.js';
import type { TestApp } from '../../support/test-app.js';
import { fireEvents, registerWebhook } from '../../support/webhooks.js';
import { IS_FULL, report, sleep, until } from '../processes/chance.js';
import { answerIn } from '../processes/stage.js';
import { prepareReplicas, type BegunPost, type Replicas } from './replicas.js';
import { signersOf } from './signatures.js';

const EVENTS = IS_FULL ? 150 : 75;
/**
 * Time until the endpoint answers. Claimed deliveries would wait for several such answers if the worker did not release
 * them.
 */
const ANSWER_MS = 300;
/**
 * Third attempts are due five seconds after the second. A replica that does not learn of a change would make its third
 * attempts within this time.
 */
const SILENT_MS = 6_500;
/**
 * A replica that learns of the change makes no third attempt. This test does not check how fast it learns of the
 * change.
 */
const ATTEMPTS_MAX = 2;

interface Hook {
  id: string;
  secret: string;
  path: string;
}

let replicas: Replicas;
let first: TestApp;
let second: TestApp;
let hooks = 0;

beforeAll(async () => {
  replicas = await prepareReplicas();
  first = await replicas.start();
});

afterEach(async () => {
  // Removes the tasks that the test left.
  await replicas.database.asOwner('delete from governance.tasks');
});

afterAll(() => replicas?.close());

/** Makes both replicas start many failing attempts at a webhook. Some are second attempts. */
async function underway(): Promise<Hook> {
  replicas.begun.length = 0;
  replicas.endpoint.behave(answerIn(ANSWER_MS, 500));
  const path = `/${++hooks}`;
  const url = new URL(path, replicas.endpoint.url).href;
  const { id, signing_secret: secret } = await registerWebhook(first.call, { url });
  await fireEvents(first, first.orgId, 'policy_violation', EVENTS);
  // At this point, some deliveries are at their first attempt, some at their second, and more are due.
  const sent = (): BegunPost[] => to(path);
  await until('many attempts have been begun', 30_000, () => sent().length > EVENTS * 0.7);
  expect(new Set(sent().map(({ by }) => by)).size).toBe(2);
  return { id: String(id), secret: String(secret), path };
}

function to(path: string): BegunPost[] {
  return replicas.begun.filter(({ url }) => new URL(url).pathname === path);
}

/**
 * Waits until no POST arrives that contradicts the answer of the API. `last` is the number of milliseconds from the
 * answer to the last such POST. `most` is the largest number of such POSTs of one delivery, including those before the
 * answer.
 */
async function lastAfter(answered: number, posts: () => readonly BegunPost[]): Promise<{ last: number; most: number }> {
  const last = (): number => Math.max(0, ...posts().map(({ tick }) => tick - answered));
  await until('such POSTs end', 60_000, async () => {
    // Sleeps as long as the condition cannot be true, because `posts` checks the signatures of all POSTs each time.
    await sleep(Math.max(0, answered + last() + SILENT_MS - performance.now()));
    return performance.now() - answered - last() > SILENT_MS;
  });
  const counts = new Map<unknown, number>();
  for (const { headers } of posts()) counts.set(headers['webhook-id'], (counts.get(headers['webhook-id']) ?? 0) + 1);
  return { last: Math.round(last()), most: Math.max(0, ...counts.values()) };
}

async function statuses(webhookId: string): Promise<Record<string, number>> {
  const rows = await replicas.database.asOwner<{ status: string; count: number }>(
    'select status, count(*)::int as count from governance.webhook_deliveries where webhook_id = $1 group by status',
    [webhookId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

describe.each([
  // Polling is too slow to find the change in time, so only a notification can.
  ['that receives notifications of changes', true, { listen: true, pollIntervalMs: 60_000 }],
  ['whose notifications are lost', false, { listen: false }],
])('with a replica %s', (_replica, listen, changes) => {
  beforeAll(async () => {
    second = await replicas.start({ database: { url: '', changes } });
  });

  afterAll(() => replicas.stop(second));

  it('a deleted webhook gets no more POSTs, and its waiting deliveries are canceled', async () => {
    const { id, path } = await underway();
    const { status } = await first.call('DELETE', `/v1/webhooks/${id}`);
    const answered = performance.now();
    expect(status).toBe(204);
    const { last, most } = await lastAfter(answered, () => to(path));
    report('ms from the answer to the last POST, deleted', { listen, last, most });
    expect(most).toBeLessThanOrEqual(ATTEMPTS_MAX);
    expect(await statuses(id)).toEqual({ cancelled: EVENTS });
    const left = await replicas.database.asOwner('select id from governance.tasks where key = $1', [id]);
    expect(left).toEqual([]);
  });

  it('a paused webhook gets no POSTs until it is resumed, and then every attempt that was due', async () => {
    const { id, path } = await underway();
    const { status } = await first.call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
    const answered = performance.now();
    expect(status).toBe(200);
    const { last, most } = await lastAfter(answered, () => to(path));
    report('ms from the answer to the last POST, paused', { listen, last, most });
    expect(most).toBeLessThanOrEqual(ATTEMPTS_MAX);
    expect(await statuses(id)).toEqual({ pending: EVENTS });

    replicas.endpoint.behave('ok');
    const resumed = performance.now();
    await first.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
    // Some deliveries have had two attempts. Their third attempt is due after five seconds.
    await until('all are delivered', 15_000, async () => (await statuses(id))['delivered'] === EVENTS);
    const after = to(path).filter(({ tick }) => tick >= resumed);
    expect(new Set(after.map(({ headers }) => headers['webhook-id'])).size).toBe(EVENTS);
    expect(after).toHaveLength(EVENTS);
  });

  it.each([
    ['with overlap is signed with both secrets', 24],
    ['without overlap is signed with the new secret only', 0],
  ])('a webhook whose secret is rotated %s', async (_how, overlap_hours) => {
    const { id, path, secret } = await underway();
    const { status, body } = await first.call('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap_hours });
    const answered = performance.now();
    expect(status).toBe(200);
    const rotated = String(body.signing_secret);
    const signedPosts = () => to(path).map(post => Object.assign(signersOf(post, [secret, rotated]), { post }));
    const { last, most } = await lastAfter(answered, () =>
      signedPosts().flatMap(({ current, post }) => (current === secret ? [post] : [])),
    );
    const signed = signedPosts();
    const withOld = signed.filter(({ current }) => current === secret);
    const withNew = signed.filter(({ current }) => current === rotated);
    report('ms from the answer to the last POST signed as before', { listen, last, most });
    expect(most).toBeLessThanOrEqual(ATTEMPTS_MAX);
    expect(withOld.length).toBeGreaterThan(0);
    expect(new Set(withOld.map(({ previous }) => previous))).toEqual(new Set([undefined]));
    expect(new Set(withNew.map(({ post }) => post.by)).size).toBe(2);
    expect(new Set(withNew.map(({ previous }) => previous))).toEqual(new Set([overlap_hours > 0 ? secret : undefined]));
    // Every request has one of the two signatures.
    expect(withOld.length + withNew.length).toBe(signed.length);
  });

  it('a webhook with a changed URL gets its next attempts at the new one', async () => {
    const { id, path } = await underway();
    const moved = `${path}/moved`;
    const url = new URL(moved, replicas.endpoint.url).href;
    const { status } = await first.call('PATCH', `/v1/webhooks/${id}`, { url });
    const answered = performance.now();
    expect(status).toBe(200);
    const { last, most } = await lastAfter(answered, () => to(path));
    report('ms from the answer to the last POST to the old URL', { listen, last, most });
    expect(most).toBeLessThanOrEqual(ATTEMPTS_MAX);
    expect(new Set(to(moved).map(({ by }) => by)).size).toBe(2);
    const arrived = ({ path: at }: ReceivedRequest): boolean => at === moved;
    expect(replicas.endpoint.requests.filter(arrived).length).toBeGreaterThan(0);
    // Every delivery has arrived, whatever its number of attempts at the time of the change.
    const ids = new Set([...to(path), ...to(moved)].map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(EVENTS);
  });
});
