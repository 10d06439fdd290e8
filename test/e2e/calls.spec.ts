import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CallMarks, CallRecovery, EndedCalls, GovernedCalls } from '#calls';
import { UnavailableError } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { Governance, RefusedError } from '#governance';
import { DecisionService } from '#policy';
import { UsageIngestion } from '#usage';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { answerOf, booksOf, requestOf } from './calls.support.js';
import { addBudget, openShop, type Shop } from './spend.support.js';

let app: TestApp;
/** Another replica, which takes over the calls of this one. */
let other: TestApp;
let time: MovedTime;
let shop: Shop;
let governance: Governance;

beforeAll(async () => {
  app = await startTestApp({ outbox: { workers: false } });
  other = await startTestApp({ testDatabase: app.database, time: app.clock, outbox: { workers: false } });
  time = await moveTime(app.database);
  governance = app.app.get(Governance);
});

beforeEach(async () => {
  shop = await openShop(app);
});

afterAll(async () => {
  await other?.close();
  await app?.close();
});

const open = () => app.app.get(GovernedCalls).open(shop.orgId, requestOf(shop));
const recover = () => other.app.get(CallRecovery).sweep();

async function* chunksOf(...chunks: unknown[]): AsyncGenerator {
  yield* chunks;
}

describe('governance.call', () => {
  it('records the usage of the answer and settles the reservation before it returns the answer', async () => {
    await addBudget(shop.call, 1);
    const answer = answerOf('chatcmpl-1');
    let heldMeanwhile = 0;
    const result = await governance.call(shop.orgId, requestOf(shop), {
      run: async ({ decision }) => {
        expect(decision).toMatchObject({ allowed: true, reservation: { amount_usd: 0.003 } });
        heldMeanwhile = (await booksOf(shop)).held;
        return answer;
      },
    });
    expect(result).toBe(answer);
    expect(heldMeanwhile).toBe(0.003);
    expect(await booksOf(shop)).toMatchObject({
      events: [{ id: 'chatcmpl-1', input: 10, output: 20, metadata: null }],
      ...{ held: 0, reserved: 0, spent: 0.00003, open: 0 },
    });
  });

  it('counts the tier and the region of the answer, or else those of the request', async () => {
    const asked = { ...requestOf(shop), service_tier: 'flex', region: 'eu' } as const;
    const run = (answer: object) => governance.call(shop.orgId, asked, { run: () => Promise.resolve(answer) });
    await run(answerOf('tier-asked'));
    await run({ ...answerOf('tier-beside'), service_tier: 'default' });
    await run({ ...answerOf('tier-inside'), usage: { ...answerOf('').usage, service_tier: 'priority' } });
    expect((await booksOf(shop)).requests).toBe(3);
    const rows = await app.database.asOwner(
      `select id, service_tier, region from governance.usage_events where org_id = $1 order by id`,
      [shop.orgId],
    );
    expect(rows).toEqual([
      { id: 'tier-asked', service_tier: 'flex', region: 'eu' },
      { id: 'tier-beside', service_tier: null, region: 'eu' },
      { id: 'tier-inside', service_tier: 'priority', region: 'eu' },
    ]);
  });

  it('releases the reservation and records nothing if the provider fails', async () => {
    await addBudget(shop.call, 1);
    const run = () => Promise.reject(new Error('the provider is away'));
    await expect(governance.call(shop.orgId, requestOf(shop), { run })).rejects.toThrow('the provider is away');
    expect(await booksOf(shop)).toMatchObject({ events: [], held: 0, reserved: 0, spent: 0 });
  });

  it('releases the reservation if the signal aborts before the answer, and records an answer that comes later', async () => {
    await addBudget(shop.call, 1);
    const caller = new AbortController();
    const provider = Promise.withResolvers<ReturnType<typeof answerOf>>();
    const calling = governance.call(shop.orgId, requestOf(shop), {
      signal: caller.signal,
      run: ({ signal }) => {
        expect(signal).toBe(caller.signal);
        caller.abort(new Error('the client left'));
        return provider.promise;
      },
    });
    await expect(calling).rejects.toThrow('the client left');
    expect(await booksOf(shop)).toMatchObject({ events: [], held: 0 });
    provider.resolve(answerOf('late'));
    await until('it is recorded', async () => (await booksOf(shop)).events.length === 1);
    expect(await booksOf(shop)).toMatchObject({ events: [{ id: 'late' }], held: 0, reserved: 0 });
  });

  it('never runs a call that a policy blocks, that exceeds a budget, or that waits for an approval', async () => {
    const refusal = async (more: object = {}) => {
      let ran = false;
      const run = async () => (ran = true);
      const error = await governance
        .call(shop.orgId, { ...requestOf(shop), ...more }, { run })
        .catch((e: unknown) => e);
      expect(ran).toBe(false);
      if (!(error instanceof RefusedError)) throw error;
      return { status: error.status, code: error.code, reason: error.decision.reason };
    };
    await shop.call('POST', '/v1/policies', { name: 'No o3', action: 'block', model: 'o3' });
    await shop.call('POST', '/v1/policies', { name: 'Ask', action: 'require_approval', model: 'o4' });
    await addBudget(shop.call, 0.0001);
    // The last request has an unknown user, who is refused, too.
    expect(await refusal({ model: 'o3' })).toEqual({ status: 403, code: 'policy_blocked', reason: 'policy' });
    expect(await refusal({ model: 'o4' })).toMatchObject({ status: 403, code: 'approval_required' });
    expect(await refusal()).toEqual({ status: 402, code: 'budget_exceeded', reason: 'budget_exceeded' });
    expect(await refusal({ user_id: randomUUID() })).toMatchObject({ status: 403, code: 'unknown_user' });
  });

  it('counts an unreadable answer by the estimate of the request, and by the id of a server that sends one anyway', async () => {
    for (const answer of [{ id: 'same', usage: 7 }, answerOf('same'), answerOf('same'), { text: 'no usage' }]) {
      await governance.call(shop.orgId, requestOf(shop), {
        run: async () => answer,
        usageOf: ({ id, usage }: { id?: string; usage?: unknown }) => (usage === undefined ? undefined : { id, usage }),
      });
    }
    const { events } = await booksOf(shop);
    const counts = events.map(({ input, output }) => `${input} ${output}`).toSorted();
    expect(counts).toEqual(['10 20', '10 20', '1000 0', '1000 0']);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  });

  it('counts an answer once if it was also reported in another way before', async () => {
    await addBudget(shop.call, 1);
    const usage = { ...requestOf(shop), id: 'reported', occurred_at: app.clock.now().toISOString() };
    const { estimated_input_tokens: _in, max_output_tokens: _out, ...event } = usage;
    await governance.recordUsage(shop.orgId, [{ ...event, input_tokens: 10, output_tokens: 20 }]);
    await governance.call(shop.orgId, requestOf(shop), { run: async () => answerOf('reported') });
    expect(await booksOf(shop)).toMatchObject({ events: [{ id: 'reported' }], held: 0, reserved: 0 });
  });

  it('writes in the host’s transaction, and leaves nothing if that rolls back', async () => {
    await addBudget(shop.call, 0.005);
    await shop.call('POST', '/v1/policies', { name: 'Watch', action: 'alert' });
    const before = await booksOf(shop);
    const inTransaction = (id: string, end: () => void) =>
      app.app
        .get(OrgDatabase)
        .orm.em.fork()
        .transactional(async em => {
          const tx = sqlOf(em);
          await governance.call(shop.orgId, requestOf(shop), { tx, run: async () => answerOf(id) });
          await governance.decide(shop.orgId, requestOf(shop), { tx });
          const call = await app.app
            .get(GovernedCalls)
            .open(shop.orgId, { ...requestOf(shop), max_output_tokens: 1 }, { tx });
          expect(call.cover(5_000)).toBeUndefined();
          await call.release();
          const stream = governance.call(
            shop.orgId,
            { ...requestOf(shop), max_output_tokens: 1 },
            { em, run: () => Promise.reject(new Error('away')) },
          );
          await expect(stream).rejects.toThrow('away');
          end();
        });
    await expect(
      inTransaction('rolled back', () => {
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await booksOf(shop)).toEqual(before);
    await inTransaction('committed', () => undefined);
    expect(await booksOf(shop)).toMatchObject({ events: [{ id: 'committed' }], held: 0.003, reserved: 0.003, open: 0 });
    expect((await booksOf(shop)).incidents).toBe(1);
  });
});

describe('an open call', () => {
  it('counts its covered usage once if its process dies, and settles its reservation', async () => {
    await addBudget(shop.call, 1);
    const asked = { ...requestOf(shop), service_tier: 'standard', region: 'eu' } as const;
    const call = await app.app.get(GovernedCalls).open(shop.orgId, asked);
    await call.cover(300);
    // The usage up to this point is already written ahead, so this call of `cover` does not wait.
    expect(call.cover(400)).toBeUndefined();
    expect(await booksOf(shop)).toMatchObject({ open: 1, events: [], held: 0.003 });
    expect(await recover()).toBe(0);
    await time.advance(61_000);
    expect(await recover()).toBe(1);
    const books = await booksOf(shop);
    expect(books).toMatchObject({
      ...{ open: 0, held: 0, reserved: 0 },
      events: [{ input: 1_000, metadata: { estimated: true, recovered: true } }],
    });
    const [row] = await app.database.asOwner(`select region from governance.usage_events where org_id = $1`, [
      shop.orgId,
    ]);
    expect(row).toEqual({ region: 'eu' });
    expect(books.events[0]!.output).toBeGreaterThanOrEqual(400);
    expect(books.events[0]!.output).toBeLessThanOrEqual(700);
  });

  it('is not taken from a process that renews its lease', async () => {
    const call = await open();
    await call.cover(1);
    for (let n = 0; n < 3; n++) {
      await time.advance(40_000);
      await app.app.get(CallMarks).renew();
      expect(await recover()).toBe(0);
    }
    await call.settle(answerOf('own'));
    expect(await booksOf(shop)).toMatchObject({ open: 0, events: [{ id: 'own' }] });
  });

  it('counts the covered usage, and covers no more, if its process was paused and treated as dead', async () => {
    await addBudget(shop.call, 1);
    const [longer, shorter, released] = [await open(), await open(), await open()];
    for (const call of [longer, shorter, released]) await call.cover(100);
    await time.advance(61_000);
    expect(await recover()).toBe(3);
    await expect(longer.cover(1_000)).rejects.toThrow('send the request again');
    await longer.settle({ id: 'longer', ...counts(1_200, 900) });
    await shorter.settle({ id: 'shorter', ...counts(900, 120) });
    await released.release();
    const { events, ...books } = await booksOf(shop);
    const sum = { input: 0, output: 0 };
    for (const { input, output } of events) {
      sum.input += input;
      sum.output += output;
    }
    // Each call was recorded once with the 356 output tokens written ahead. The longer call has a second event for the
    // remaining 200 input and 544 output tokens.
    expect(events).toHaveLength(4);
    expect(sum).toEqual({ input: 3_200, output: 3 * 356 + 544 });
    expect(books).toMatchObject({ requests: 3, open: 0, held: 0, reserved: 0 });
    expect(books.spent).toBeCloseTo((sum.input + sum.output) / 1e6, 12);
  });

  it('counts once, whatever is called after its end', async () => {
    await addBudget(shop.call, 1);
    const [settled, released] = [await open(), await open()];
    await settled.cover(10);
    await Promise.all([settled.settle(answerOf('one')), settled.settle(answerOf('two')), settled.release()]);
    await released.cover(10);
    await Promise.all([released.release(), released.settle(answerOf('three'))]);
    expect(settled.cover(1_000)).toBeUndefined();
    expect(await booksOf(shop)).toMatchObject({ events: [{ id: 'one' }], open: 0, held: 0, reserved: 0 });
  });

  it('holds its reservation for another term when it is extended', async () => {
    await addBudget(shop.call, 1);
    const call = await open();
    const [first] = await reservations();
    await time.advance(600_000);
    await call.extend();
    expect(await reservations()).not.toEqual([first]);
    await call.release();
    await expect(open().then(async each => (await each.release(), each.extend()))).resolves.toBeUndefined();
  });
});

describe('governance.meterStream', () => {
  const meter = async (chunks: AsyncIterable<unknown>, options: object = {}) => {
    const decision = await governance.decide(shop.orgId, requestOf(shop));
    return governance.meterStream(shop.orgId, decision, chunks, { textOf: String, ...options });
  };

  it('forwards all chunks, and has recorded the usage of the last one when the reader gets the end', async () => {
    await addBudget(shop.call, 1);
    const chunks = ['Hello', ' you', answerOf('streamed', 7, 8)];
    const seen: unknown[] = [];
    for await (const chunk of await meter(chunksOf(...chunks))) {
      seen.push(chunk);
      expect((await booksOf(shop)).events).toEqual([]);
      expect((await booksOf(shop)).open).toBe(1);
    }
    expect(seen).toEqual(chunks);
    expect(await booksOf(shop)).toMatchObject({
      events: [{ id: 'streamed', input: 7, output: 8 }],
      ...{ open: 0, held: 0, reserved: 0 },
    });
  });

  it('records the forwarded usage when the reader stops, and closes the connection to the provider', async () => {
    let cut = false;
    const source = (async function* () {
      try {
        for (;;) yield 'x'.repeat(40);
      } finally {
        cut = true;
      }
    })();
    let n = 0;
    for await (const _ of await meter(source)) if (++n === 3) break;
    expect(cut).toBe(true);
    expect(await booksOf(shop)).toMatchObject({
      events: [{ input: 1_000, output: 30, metadata: { estimated: true } }],
      open: 0,
    });
  });

  it.each([
    ['records the part that was forwarded', 'estimate', [{ output: 10 }]],
    ['records nothing', 'release', []],
  ])('%s when the source fails in the middle and onAbort is %s', async (_, onAbort, events) => {
    await addBudget(shop.call, 1);
    const source = (async function* () {
      yield 'x'.repeat(40);
      throw new Error('the provider died');
    })();
    const stream = await meter(source, { onAbort });
    expect(await stream.next()).toMatchObject({ done: false });
    await expect(stream.next()).rejects.toThrow('the provider died');
    expect(await booksOf(shop)).toMatchObject({ events, open: 0, held: 0, reserved: 0 });
    expect(await stream.next()).toMatchObject({ done: true });
  });

  it('ends at once if the signal aborts while the provider sends nothing', async () => {
    const caller = new AbortController();
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
    const stream = await meter(silent, { signal: caller.signal });
    const reading = stream.next();
    caller.abort(new Error('the client left'));
    await expect(reading).rejects.toThrow('the client left');
    // The provider served nothing, so no usage is stored.
    expect(await booksOf(shop)).toMatchObject({ events: [], open: 0 });
  });

  it('releases the reservation of a stream that is never read', async () => {
    await addBudget(shop.call, 1);
    await (
      await meter(chunksOf('never'))
    ).return!();
    expect(await booksOf(shop)).toMatchObject({ events: [], held: 0, open: 0 });
  });
});

describe('calls during an outage of governance', () => {
  it('are refused, or pass and are counted, logged once and shown, as the host chooses', async () => {
    const { orgId } = shop;
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const away = jest
      .spyOn(app.app.get(DecisionService, { strict: false }), 'decide')
      .mockRejectedValue(new UnavailableError('The user directory cannot be reached.'));
    try {
      const run = async () => answerOf(randomUUID());
      await expect(governance.call(orgId, requestOf(shop), { run })).rejects.toThrow('directory');
      for (let n = 0; n < 3; n++) {
        await governance.call(orgId, requestOf(shop), {
          onUnavailable: 'allow',
          run: async ({ decision }) => {
            expect(decision).toBeUndefined();
            return run();
          },
        });
      }
      const warnings = warn.mock.calls.map(([line]) => String(line)).filter(line => line.includes('ungoverned'));
      expect(warnings).toEqual([expect.stringContaining('directory')]);
    } finally {
      away.mockRestore();
      warn.mockRestore();
    }
    expect((await shop.call('GET', '/v1/calls/open-passes')).body).toMatchObject({
      ...{ passes: 3, first_at: app.clock.now().toISOString() },
      last_reason: 'decision: The user directory cannot be reached.',
    });
    const { events } = await booksOf(shop);
    expect(events).toHaveLength(3);
    for (const { metadata } of events) expect(metadata).toEqual({ open_pass: true });
  });

  it('wait for the database before an answer counts as recorded, or return it at once, as the host chooses', async () => {
    let isAway = true;
    const marks = app.app.get(CallMarks, { strict: false });
    const end = marks.end.bind(marks);
    const spy = jest.spyOn(marks, 'end').mockImplementation((...given) => {
      return isAway ? Promise.reject(new UnavailableError('away')) : end(...given);
    });
    try {
      const answered: string[] = [];
      const calling = (id: string, onUnavailable: 'refuse' | 'allow') =>
        governance
          .call(shop.orgId, requestOf(shop), { onUnavailable, run: async () => answerOf(id) })
          .then(() => answered.push(id));
      const waiting = calling('waits', 'refuse');
      await calling('passes', 'allow');
      expect(answered).toEqual(['passes']);
      expect((await booksOf(shop)).events).toEqual([]);
      isAway = false;
      await waiting;
      await until('both are recorded', async () => (await booksOf(shop)).events.length === 2);
      expect((await shop.call('GET', '/v1/calls/open-passes')).body).toMatchObject({ passes: 1 });
    } finally {
      spy.mockRestore();
    }
  });

  it('are answered once their end is stored; their usage is counted after the outage', async () => {
    await addBudget(shop.call, 1);
    const ingestion = app.app.get(UsageIngestion, { strict: false });
    const away = jest.spyOn(ingestion, 'record').mockRejectedValue(new UnavailableError('away'));
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    try {
      await governance.call(shop.orgId, requestOf(shop), { run: async () => answerOf('later') });
      expect(await booksOf(shop)).toMatchObject({ events: [], open: 1, held: 0.003 });
    } finally {
      away.mockRestore();
      warn.mockRestore();
    }
    expect(await booksOf(shop)).toMatchObject({ events: [{ id: 'later' }], open: 0, held: 0, reserved: 0 });
  });
});

describe('a call whose end is stored', () => {
  const ended = () => app.app.get(EndedCalls);

  it('is counted once by its usage if its process dies before the count', async () => {
    await addBudget(shop.call, 1);
    const dying = jest.spyOn(ended(), 'add').mockReturnValue();
    try {
      await governance.call(shop.orgId, requestOf(shop), { run: async () => answerOf('orphan') });
    } finally {
      dying.mockRestore();
    }
    expect(await booksOf(shop)).toMatchObject({ events: [], open: 1, held: 0.003 });
    await time.advance(16_000);
    expect(await recover()).toBe(1);
    expect(await booksOf(shop)).toMatchObject({
      events: [{ id: 'orphan', input: 10, output: 20, metadata: null }],
      ...{ open: 0, held: 0, reserved: 0, spent: 0.00003 },
    });
  });

  it.each([
    ['the provider', 'taken'],
    ['a server that gives every answer the same id', 'same'],
  ])('is counted once by an id of %s if another replica counts it before its own process', async (_, id) => {
    await addBudget(shop.call, 1);
    if (id === 'same') {
      await governance.call(shop.orgId, requestOf(shop), { run: async () => answerOf(id, 1, 1) });
      await ended().flush(shop.orgId);
    }
    const before = (await booksOf(shop)).events.length;
    const add = ended().add.bind(ended());
    const late: (() => void)[] = [];
    const slow = jest.spyOn(ended(), 'add').mockImplementation((...given) => void late.push(() => add(...given)));
    try {
      const call = await open();
      await call.cover(10);
      await call.settle(answerOf(id));
      await time.advance(16_000);
      expect(await recover()).toBe(1);
    } finally {
      slow.mockRestore();
    }
    const { events, spent } = await booksOf(shop);
    expect(events).toHaveLength(before + 1);
    for (const run of late) run();
    expect(await booksOf(shop)).toMatchObject({ events, spent, open: 0, held: 0, reserved: 0 });
  });

  it('is counted once if its first mark arrives only after the count', async () => {
    await addBudget(shop.call, 1);
    const database = app.app.get(OrgDatabase);
    const call = await open();
    const lostConnection = jest
      .spyOn(database, 'global')
      .mockRejectedValueOnce(Object.assign(new Error('connection lost'), { code: 'ECONNRESET' }));
    await expect(call.cover(10)).rejects.toThrow('try again shortly');
    lostConnection.mockRestore();
    await call.settle(answerOf('named'));
    const { events } = await booksOf(shop);
    const id = events[0]!.id.replace('call:', '');
    await app.database.asOwner(
      `insert into governance.open_calls (org_id, id, owner, user_id, provider, model, input_tokens, output_tokens,
         opened_at, lease_until)
       select $1, $2, $2, $3, 'acme', 'acme-1', 1000, 266, m, m from (select governance.now() - interval '1 minute') t(m)`,
      [shop.orgId, id, shop.userId],
    );
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    expect(await recover()).toBe(1);
    expect(error).not.toHaveBeenCalled();
    error.mockRestore();
    expect(await booksOf(shop)).toMatchObject({ events: [{ input: 10, output: 20 }], requests: 1, open: 0, held: 0 });
  });

  it('releases its share of the budget for the next call at once', async () => {
    await addBudget(shop.call, 0.004);
    for (let n = 0; n < 5; n++) {
      await governance.call(shop.orgId, requestOf(shop), { run: async () => answerOf(`answer ${n}`) });
    }
    expect((await booksOf(shop)).events).toHaveLength(5);
  });

  it('is in reports without any further call', async () => {
    await governance.call(shop.orgId, requestOf(shop), { run: async () => answerOf('soon') });
    const stored = () => app.database.asOwner(`select from governance.usage_events where org_id = $1`, [shop.orgId]);
    await until('it is counted', async () => (await stored()).length === 1);
  });
});

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise(done => setTimeout(done, 5));
  }
}

function counts(input_tokens: number, output_tokens: number) {
  return { input_tokens, output_tokens };
}

function reservations(): Promise<object[]> {
  return app.database.asOwner(`select id, expires_at from governance.reservations where org_id = $1`, [shop.orgId]);
}
