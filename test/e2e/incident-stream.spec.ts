import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createToken } from '../support/seed.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { openStream, stageOn, type OpenStream, type SentEvent, type Stage } from './incidents.support.js';

const STREAMS_MAX = 20;
const READER_STREAMS_MAX = 5;
const OTHER_MODEL = { provider: 'openai', model: 'gpt-5-secret' };
/**
 * A stream must end within a second; the limit is higher because the machine may be busy. A stream that does not end
 * would stay open longer than the test.
 */
const BUSY_MS = 30_000;

let first: TestApp;
let second: TestApp;
const opened: OpenStream[] = [];

beforeAll(async () => {
  first = await startTestApp();
  // Its notifications are lost: polling finds the changes.
  second = await startTestApp({
    testDatabase: first.database,
    orgId: first.orgId,
    time: first.clock,
    database: { url: '', changes: { listen: false } },
  });
});

afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

afterAll(async () => {
  await second?.close();
  await first?.close();
});

async function open(app: TestApp, token: string, from: Parameters<typeof openStream>[2] = {}): Promise<OpenStream> {
  const stream = await openStream(app.url, token, from);
  opened.push(stream);
  return stream;
}

/** Expects that the stream sends no new violation after the revocation of its credential, and ends. */
async function expectSilentEnd(stream: OpenStream, token: string, on: TestApp, stage: Stage): Promise<void> {
  const bob = (await stage.call('POST', '/v1/users', { email: `bob.${stage.orgId}@example.com`, name: 'Bob' })).body.id;
  // Waits until the replica knows of the revocation.
  await until(async () => (await on.as(token)('GET', '/v1/incidents')).status === 401);
  await stage.violate(undefined, { user_id: bob, ...OTHER_MODEL });
  const began = performance.now();
  await stream.ended;
  expect(performance.now() - began).toBeLessThan(BUSY_MS);
  expect((await stage.incidents()).map(({ model }) => model)).toContain(OTHER_MODEL.model);
  expect(stream.text).not.toContain(OTHER_MODEL.model);
  expect(stream.text.endsWith('\n\n')).toBe(true);
}

async function tokensOf(stage: Stage, count: number, fields: object = { role: 'auditor' }): Promise<string[]> {
  const tokens: string[] = [];
  for (let at = 0; at < count; at++) {
    tokens.push((await stage.call('POST', '/v1/tokens', { name: `Screen ${at}`, ...fields })).body.token);
  }
  return tokens;
}

const idsOf = (events: readonly SentEvent[]): number[] => events.map(({ id }) => id);

describe('the stream of incidents', () => {
  it('sends its start position and then each change, on every replica', async () => {
    const stage = await stageOn(first);
    const streams = [await open(first, stage.token), await open(second, stage.token)];
    for (const { status, headers } of streams) {
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-request-id')).toMatch(/\w/);
    }
    await stage.violate();
    for (const stream of streams) {
      const [change] = await stream.changes(1, 5_000);
      expect(stream.events[0]).toEqual({ id: 0, event: 'ready', data: { position: 0 } });
      expect(change?.data).toEqual((await stage.incidents())[0]);
      expect(change?.id).toBe(change?.data.change_version);
    }
    const [{ id }] = await stage.incidents();
    await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'acknowledged' });
    for (const stream of streams) {
      expect((await stream.changes(2, 5_000))[1]?.data).toMatchObject({ id, status: 'acknowledged' });
    }
  });

  it('begins with new changes by default, after a given version, or with all changes for 0', async () => {
    const stage = await stageOn(first);
    for (const model of ['a', 'b', 'c']) await stage.violate(undefined, { model });
    const versions = (await stage.incidents()).map(incident => incident.change_version).sort((a, b) => a - b);
    const now = await open(first, stage.token);
    const all = await open(first, stage.token, { query: '?after=0' });
    const some = await open(second, stage.token, { query: `?after=${versions[0]}` });
    const named = await open(second, stage.token, { query: '?after=0', lastEventId: versions[1] });
    const beyond = await open(first, stage.token, { lastEventId: 1_000_000 });
    expect(idsOf(await all.changes(3))).toEqual(versions);
    expect(idsOf(await some.changes(2))).toEqual(versions.slice(1));
    expect(idsOf(await named.changes(1))).toEqual(versions.slice(2));
    await stage.violate(undefined, { model: 'd' });
    expect((await now.changes(1)).map(({ data }) => data.model)).toEqual(['d']);
    expect((await beyond.changes(1)).map(({ data }) => data.model)).toEqual(['d']);
    expect(now.events[0]?.id).toBeGreaterThanOrEqual(versions[2]);
  });

  it.each(['x', '-1', '1.5', '99999999999999999', '0x1'])('cannot begin after %s', async version => {
    const stage = await stageOn(first);
    const answer = await stage.call('GET', '/v1/incidents/stream', undefined, { 'last-event-id': version });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'Last-Event-ID' }] } });
    const query = await stage.call('GET', `/v1/incidents/stream?after=${version}`);
    expect(query).toMatchObject({ status: 400, body: { details: [{ field: 'after' }] } });
  });

  it('continues after an interruption, on another replica, without gaps and repetitions', async () => {
    const stage = await stageOn(first);
    const calls = [first.as(stage.token), second.as(stage.token)];
    const models = Array.from({ length: 8 }, (_, at) => `model-${at}`);
    const state = { isOver: false };
    const changing = (async () => {
      for (let round = 0; round < 40; round++) {
        const model = models[round % models.length];
        await Promise.all(calls.map(call => stage.violate(call, { model })));
      }
      state.isOver = true;
    })();
    const seen: SentEvent[] = [];
    const latest = new Map<string, SentEvent['data']>();
    let cuts = 0;
    const final = async () =>
      JSON.stringify((await stage.incidents()).map(({ id, occurrences }) => `${id} ${occurrences}`).sort());
    const known = () => JSON.stringify([...latest].map(([id, { occurrences }]) => `${id} ${occurrences}`).sort());
    const end = performance.now() + 30_000;
    while (performance.now() < end && !(state.isOver && known() === (await final()))) {
      const stream = await open(cuts % 2 === 0 ? first : second, stage.token, { lastEventId: seen.at(-1)?.id ?? 0 });
      await Promise.race([
        stream.changes(3, 400).catch(() => undefined),
        changing.then(() => stream.changes(1, 400)),
      ]).catch(() => undefined);
      const events = stream.events.filter(({ event }) => event === 'incident');
      stream.close();
      cuts++;
      seen.push(...events);
      for (const { data } of events) latest.set(data.id, data);
    }
    await changing;
    expect(cuts).toBeGreaterThan(3);
    expect(known()).toBe(await final());
    // Each change was sent once, in the order of the commits.
    expect(idsOf(seen)).toEqual([...new Set(idsOf(seen))].sort((a, b) => a - b));
  });

  it('contains every incident if several change in one transaction', async () => {
    const stage = await stageOn(first);
    for (let at = 0; at < 4; at++) await stage.call('POST', '/v1/policies', { name: `Also ${at}`, action: 'alert' });
    const stream = await open(first, stage.token);
    await stage.violate();
    const five = await stream.changes(5);
    expect(new Set(five.map(({ data }) => data.id)).size).toBe(5);
    expect(new Set(idsOf(five)).size).toBe(5);
    stream.close();
    // Resumes the stream between two changes, as after an interruption.
    const rest = await open(second, stage.token, { lastEventId: five[1]?.id });
    expect(idsOf(await rest.changes(3))).toEqual(idsOf(five).slice(2));
    const ids = five.map(({ data }) => data.id);
    await stage.call('POST', '/v1/incidents/bulk', { ids, status: 'resolved' });
    expect((await rest.changes(8)).slice(3).map(({ data }) => data.status)).toEqual(Array(5).fill('resolved'));
  });

  it('shows a member only incidents of their user without operands, and nothing of another organization', async () => {
    const stage = await stageOn(first, { conditions: { email: { not_in: ['everyone-else@example.com'] } } });
    const bob = (await stage.call('POST', '/v1/users', { email: `${stage.orgId}@example.com`, name: 'Bob' })).body.id;
    const member = await createToken(first.app, stage.orgId, 'member', stage.userId);
    const own = await open(first, member, { query: '?after=0' });
    const foreign = await open(first, (await first.addOrganization()).token, { query: '?after=0' });
    await stage.violate(undefined, { user_id: bob });
    await stage.violate();
    const everything = await open(first, stage.token, { query: '?after=0' });
    await everything.changes(2);
    expect((await own.changes(1)).map(({ data }) => data.user_id)).toEqual([stage.userId]);
    expect(own.text).not.toContain('everyone-else');
    expect(everything.text).toContain('everyone-else');
    expect(foreign.events.map(({ event }) => event)).toEqual(['ready']);
  });

  describe.each([
    ['its replica', () => first],
    ['a replica that learns of changes by polling', () => second],
  ])('on %s', (_where, replica) => {
    it('sends nothing more to a revoked token, and ends', async () => {
      const stage = await stageOn(first);
      const { token, id } = (await stage.call('POST', '/v1/tokens', { name: 'Screen', role: 'auditor' })).body;
      const stream = await open(replica(), token);
      await stage.violate();
      await stream.changes(1);
      expect((await stage.call('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
      await expectSilentEnd(stream, token, replica(), stage);
    });

    it('sends nothing more to an offboarded user, and ends', async () => {
      const stage = await stageOn(first);
      const token = await createToken(first.app, stage.orgId, 'auditor', stage.userId);
      const stream = await open(replica(), token);
      await stage.violate(undefined, { model: 'before' });
      await stream.changes(1);
      expect((await stage.call('POST', `/v1/users/${stage.userId}/offboard`)).status).toBeLessThan(300);
      await expectSilentEnd(stream, token, replica(), stage);
    });

    it('ends after the revocation of a token even if nothing changes', async () => {
      const stage = await stageOn(first);
      const { token, id } = (await stage.call('POST', '/v1/tokens', { name: 'Screen', role: 'auditor' })).body;
      const stream = await open(replica(), token);
      const began = performance.now();
      await stage.call('DELETE', `/v1/tokens/${id}`);
      await stream.ended;
      expect(performance.now() - began).toBeLessThan(BUSY_MS);
    });
  });

  it('can be opened five times by a reader, whatever the credentials, without affecting others', async () => {
    const stage = await stageOn(first);
    const user = (await stage.call('POST', '/v1/users', { email: `eve.${stage.orgId}@example.com`, name: 'Eve' })).body
      .id;
    const [own, same] = await tokensOf(stage, 2, { role: 'member', user_id: user });
    for (const token of [own, own, own, same, same]) expect((await open(first, token!)).status).toBe(200);
    for (const token of [own, same]) expect((await open(first, token!)).status).toBe(429);
    expect((await open(first, stage.token)).status).toBe(200);
  });

  it('can be opened twenty times by an organization, and not again until one is closed', async () => {
    const stage = await stageOn(first);
    const tokens = await tokensOf(stage, 5);
    const readers = tokens.slice(0, 4).flatMap(token => Array<string>(READER_STREAMS_MAX).fill(token));
    const streams = await Promise.all(readers.map(token => open(first, token)));
    expect(streams.map(({ status }) => status)).toEqual(Array(STREAMS_MAX).fill(200));
    const refused = await stage.call('GET', '/v1/incidents/stream');
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Other organizations have a separate limit.
    expect((await open(first, (await first.addOrganization()).token)).status).toBe(200);
    streams[0]?.close();
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await stage.call('GET', '/v1/incidents/stream')).status === 200) return;
      await new Promise(done => setTimeout(done, 20));
    }
    throw new Error('the place of a closed stream was never given to another');
  });

  it('ends when its process stops, which does not wait for its clients', async () => {
    const third = await startTestApp({ testDatabase: first.database, orgId: first.orgId, time: first.clock });
    const stage = await stageOn(third);
    const streams = [await open(third, stage.token), await open(third, stage.token)];
    const began = performance.now();
    await third.close();
    await Promise.all(streams.map(({ ended }) => ended));
    expect(performance.now() - began).toBeLessThan(BUSY_MS);
    expect(streams.map(({ text }) => text.endsWith('\n\n'))).toEqual([true, true]);
  });
});
