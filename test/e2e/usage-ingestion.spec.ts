import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageIngestion } from '#usage';
import { OrgDatabase } from '#database';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { allUsage, createUser, report, usageEvent } from './usage.support.js';

describe('POST /v1/usage/events', () => {
  let app: TestApp;
  let ada: string;

  beforeAll(async () => {
    app = await startTestApp();
    ada = await createUser(app.call, 'ada');
  });

  afterAll(() => app.close());

  const stored = async () =>
    (await app.database.asOwner<{ n: number }>('select count(*)::int as n from governance.usage_events'))[0]?.n;

  it('stores valid events, names invalid ones at their index, and shows the valid ones at once', async () => {
    const good = usageEvent({ user_email: 'ADA@example.com', model: 'first-batch' });
    const receipt = await report(
      app.call,
      usageEvent({ user_id: ada, input_tokens: -1, id: 'negative' }),
      good,
      usageEvent({ id: 'nobody', user_email: 'nobody@example.com' }),
      usageEvent({ id: 'ghost', user_id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33' }),
      usageEvent({ id: 'stranger', user_id: ada, colour: 'red' }),
    );
    expect(receipt).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [
        { index: 0, id: 'negative', field: 'input_tokens', message: expect.any(String) },
        { index: 2, id: 'nobody', field: 'user_email', message: expect.stringContaining('no user') },
        { index: 3, id: 'ghost', field: 'user_id', message: expect.stringContaining('no user') },
        { index: 4, id: 'stranger', field: 'colour', message: expect.any(String) },
      ],
    });
    const [item] = await allUsage(app.call, 'model=first-batch');
    expect(item).toMatchObject({ user_id: ada, total_requests: 1 });
  });

  it('treats the same id with the same content as a duplicate, and with other content as a conflict', async () => {
    const event = usageEvent({ user_id: ada, model: 'twice' });
    const { occurred_at: _, ...rest } = event;
    expect(await report(app.call, event)).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    // The first of these events has the same content in another JSON text.
    const receipt = await report(
      app.call,
      { ...rest, occurred_at: '2026-11-20T12:30:00+01:00' },
      { ...event, output_tokens: 21 },
    );
    expect(receipt).toEqual({
      accepted: 0,
      duplicates: 1,
      rejected: [{ index: 1, id: event.id, field: 'id', message: expect.stringMatching(/^conflict/) }],
    });
    expect(await allUsage(app.call, 'model=twice')).toMatchObject([{ total_requests: 1, total_output_tokens: 20 }]);
  });

  it('compares repetitions within one batch with the first of them', async () => {
    const event = usageEvent({ user_id: ada, model: 'thrice' });
    const receipt = await report(app.call, event, event, { ...event, requests: 2 });
    expect(receipt).toMatchObject({ accepted: 1, duplicates: 1, rejected: [{ index: 2, id: event.id, field: 'id' }] });
    expect(await allUsage(app.call, 'model=thrice')).toMatchObject([{ total_requests: 1 }]);
  });

  it('counts only the new events of a batch that overlaps an earlier one', async () => {
    const events = Array.from({ length: 10 }, () =>
      usageEvent({ user_id: ada, model: 'overlap', cost_usd: '0.000000000001' }),
    );
    await report(app.call, ...events.slice(0, 6));
    expect(await report(app.call, ...events.slice(4).reverse())).toMatchObject({ accepted: 4, duplicates: 2 });
    expect(await allUsage(app.call, 'model=overlap')).toMatchObject([
      { total_requests: 10, estimated_cost_usd: 1e-11 },
    ]);
  });

  it('records when the user was last active', async () => {
    const bob = await createUser(app.call, 'bob');
    await report(app.call, usageEvent({ user_id: bob, occurred_at: '2026-11-20T11:00:00Z' }));
    await report(app.call, usageEvent({ user_id: bob, occurred_at: '2026-11-19T11:00:00Z' }));
    expect((await app.call('GET', `/v1/users/${bob}`)).body.last_active_at).toBe('2026-11-20T11:00:00.000Z');
  });

  it('accepts the usage of suspended users, because the money was spent', async () => {
    const eve = await createUser(app.call, 'eve');
    await app.call('POST', `/v1/users/${eve}/offboard`);
    expect(await report(app.call, usageEvent({ user_id: eve }))).toMatchObject({ accepted: 1 });
  });

  it.each([
    ['older than 90 days', '2026-08-22T11:59:59Z', 'occurred_at'],
    ['more than 5 minutes ahead', '2026-11-20T12:05:01Z', 'occurred_at'],
  ])('rejects events %s', async (_, occurred_at, field) => {
    expect(await report(app.call, usageEvent({ user_id: ada, occurred_at }))).toMatchObject({
      accepted: 0,
      rejected: [{ field }],
    });
  });

  it('reads NDJSON and names the line that is not JSON', async () => {
    const line = (model: string) => JSON.stringify(usageEvent({ user_id: ada, model }));
    const body = `${line('nd')}\n\n{oops\n{"id":"a","id":"b"}\n${line('nd')}`;
    const answer = await app.call('POST', '/v1/usage/events', body, { 'content-type': 'application/x-ndjson' });
    expect(answer.body).toMatchObject({
      accepted: 2,
      rejected: [
        { index: 1, field: 'event' },
        { index: 2, field: 'event' },
      ],
    });
  });

  it('reads a batch of CloudEvents', async () => {
    const { id, occurred_at, ...data } = usageEvent({ model: 'ce' });
    const envelope = {
      specversion: '1.0',
      id,
      source: '/gateway',
      type: 'usage',
      time: occurred_at,
      subject: 'ada@example.com',
      data,
    };
    const headers = { 'content-type': 'application/cloudevents-batch+json' };
    const send = (body: unknown) => app.call('POST', '/v1/usage/events', JSON.stringify(body), headers);
    expect((await send([envelope, { ...envelope, specversion: '0.3', id: 'old' }])).body).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1, id: 'old', field: 'specversion' }],
    });
    expect((await send({ events: [] })).status).toBe(400);
    expect((await app.call('POST', '/v1/usage/events', '[', headers)).status).toBe(400);
    expect((await app.call('POST', '/v1/usage/events', '[{"a":1,"a":2}]', headers)).status).toBe(400);
  });

  it.each([
    ['no events', { events: [] }],
    ['1,001 events', { events: Array.from({ length: 1_001 }, () => ({})) }],
    ['an unknown field', { events: [{}], dry_run: true }],
    ['a list', []],
    ['a null', null],
  ])('refuses a body with %s', async (_, body) => {
    expect((await app.call('POST', '/v1/usage/events', body)).body).toMatchObject({ error: 'bad_request' });
  });

  it('refuses other content types and bodies above 5 MiB', async () => {
    expect((await app.call('POST', '/v1/usage/events', 'id=1', { 'content-type': 'text/plain' })).status).toBe(415);
    const large = JSON.stringify({
      events: [usageEvent({ user_id: ada, metadata: { text: 'x'.repeat(5 * 1024 * 1024) } })],
    });
    expect((await app.call('POST', '/v1/usage/events', large, { 'content-type': 'application/json' })).status).toBe(
      413,
    );
  });

  it('answers hostile events with rejections and never with a 5xx, and stores the valid one among them', async () => {
    const hostile: unknown[] = [
      null,
      7,
      'text',
      [],
      {},
      usageEvent({ user_id: ada, id: 'nul\0id' }),
      usageEvent({ user_id: ada, model: 'nul\0model' }),
      usageEvent({ user_id: ada, model: '\ud800' }),
      usageEvent({ user_id: ada, metadata: { 'a\0b': 1 } }),
      usageEvent({ user_id: ada, metadata: { deep: { er: { '\udfff': [] } } } }),
      usageEvent({ user_id: ada, metadata: [1] }),
      usageEvent({ user_id: ada, constructor: 1 }),
      usageEvent({ user_id: ada, input_tokens: 1e300 }),
      usageEvent({ user_id: ada, input_tokens: '100' }),
      usageEvent({ user_id: ada, cost_usd: '1e999' }),
      usageEvent({ user_id: ada, cost_usd: 'NaN' }),
      usageEvent({ user_id: ada, cost_usd: -1 }),
      usageEvent({ user_id: ada, occurred_at: '2026-11-20' }),
      usageEvent({ user_id: ada, occurred_at: '9999999-01-01T00:00:00Z' }),
      usageEvent({ user_id: ada, decision_id: '{}' }),
      usageEvent({ user_id: ada, id: 'x'.repeat(256) }),
      usageEvent({ user_id: "'; drop table users; --" }),
    ];
    const before = await stored();
    const good = usageEvent({ user_id: ada, model: '{"quoted\\",NULL}', metadata: { q: '"\\{}\n', n: null } });
    const answer = await app.call('POST', '/v1/usage/events', { events: [...hostile, good] });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(answer.body.rejected.map((entry: { index: number }) => entry.index)).toEqual(
      hostile.map((__, index) => index),
    );
    expect(await stored()).toBe((before ?? 0) + 1);
    const event = await app.call('GET', `/v1/usage/events/${good.id}`);
    expect(event.body).toMatchObject({ model: '{"quoted\\",NULL}', metadata: { q: '"\\{}\n', n: null } });
  });

  it('refuses __proto__ as a key', async () => {
    const before = await stored();
    const body = `{"events":[{"__proto__":{"id":"x"}},${JSON.stringify(usageEvent({ user_id: ada }))}]}`;
    const answer = await app.call('POST', '/v1/usage/events', body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
    const ndjson = await app.call('POST', '/v1/usage/events', '{"__proto__":{}}', {
      'content-type': 'application/x-ndjson',
    });
    expect(ndjson.body).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
    expect(await stored()).toBe(before);
  });

  it('needs the scope usage:write', async () => {
    const body = { events: [usageEvent({ user_id: ada })] };
    expect((await (await app.addToken('agent')).call('POST', '/v1/usage/events', body)).status).toBe(200);
    for (const role of ['auditor', 'member']) {
      expect((await (await app.addToken(role)).call('POST', '/v1/usage/events', body)).status).toBe(403);
    }
  });

  it('does not find the users of another organization', async () => {
    const other = await app.addOrganization();
    expect(await report(other.call, usageEvent({ user_id: ada }))).toMatchObject({ rejected: [{ field: 'user_id' }] });
  });

  describe('GET /v1/usage/events/{id}', () => {
    it('shows token classes, cost, and the source of the price', async () => {
      const event = usageEvent({
        id: 'a/b c%',
        user_id: ada,
        input_tokens: 1_000,
        cache_read_tokens: 400,
        output_tokens: 300,
        reasoning_tokens: 100,
        decision_id: '0199C2A8-7777-7d10-8c52-1f0a7e9d4b33',
      });
      await report(app.call, event);
      expect((await app.call('GET', `/v1/usage/events/${encodeURIComponent(event.id)}`)).body).toEqual({
        department: null,
        project: null,
        tags: null,
        token_id: expect.any(String),
        id: 'a/b c%',
        user_id: ada,
        provider: 'openai',
        model: 'gpt-4o',
        occurred_at: '2026-11-20T11:30:00.000Z',
        received_at: '2026-11-20T12:00:00.000Z',
        input_tokens: 1_000,
        output_tokens: 300,
        cache_read_tokens: 400,
        cache_write_tokens: 0,
        reasoning_tokens: 100,
        requests: 1,
        // 600 × $2.50, 400 × $1.25 and 300 × $10 per million.
        cost_usd: 0.005,
        list_cost_usd: 0.005,
        service_tier: 'standard',
        region: null,
        price_source: 'genai-prices',
        price_version: expect.any(String),
        decision_id: '0199c2a8-7777-7d10-8c52-1f0a7e9d4b33',
        units: null,
        metadata: null,
        adjusted_cost_usd: 0.005,
        adjustments: [],
      });
    });

    it("reads the provider's own usage object, and a stated cost overrides the catalog", async () => {
      const { input_tokens: _i, output_tokens: _o, ...bare } = usageEvent({ user_id: ada });
      const usage = { prompt_tokens: 50, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 10 } };
      await report(app.call, { ...bare, usage, cost_usd: 0.25 });
      const { body } = await app.call('GET', `/v1/usage/events/${bare.id}`);
      expect(body).toMatchObject({ input_tokens: 50, cache_read_tokens: 10, cost_usd: 0.25, price_source: 'stated' });
    });

    it('has no cost and no price source if the model has no known price', async () => {
      const event = usageEvent({ user_id: ada, provider: 'nobody', model: 'nothing' });
      await report(app.call, event);
      const { body } = await app.call('GET', `/v1/usage/events/${event.id}`);
      expect(body).toMatchObject({ cost_usd: null, price_source: null, price_version: null });
    });

    it.each(['unknown', '%00', 'x'.repeat(300), '%ED%A0%80'])('is 404 or 400 for %s, never a 5xx', async id => {
      const answer = await app.call('GET', `/v1/usage/events/${id}`);
      expect([400, 404]).toContain(answer.status);
    });

    it('is 404 for an event of another organization', async () => {
      const event = usageEvent({ user_id: ada });
      await report(app.call, event);
      const other = await app.addOrganization();
      expect((await other.call('GET', `/v1/usage/events/${event.id}`)).body).toMatchObject({ error: 'not_found' });
    });
  });

  describe('in process', () => {
    it("joins the caller's transaction: nothing counts before its commit, nothing after its rollback", async () => {
      const ingestion = app.app.get(UsageIngestion, { strict: false });
      const database = app.app.get(OrgDatabase, { strict: false });
      const event = usageEvent({ user_id: ada, model: 'host' });
      const rolledBack = database.transaction(app.orgId, async em => {
        expect(await ingestion.record(app.orgId, [event], { em })).toMatchObject({ accepted: 1 });
        expect(await allUsage(app.call, 'model=host')).toEqual([]);
        throw new Error('the host thinks better of it');
      });
      await expect(rolledBack).rejects.toThrow('thinks better');
      expect(await allUsage(app.call, 'model=host')).toEqual([]);
      await database.transaction(app.orgId, em => ingestion.record(app.orgId, [event], { em }));
      expect(await allUsage(app.call, 'model=host')).toMatchObject([{ total_requests: 1 }]);
    });

    it('accepts historical usage without an age limit', async () => {
      const ingestion = app.app.get(UsageIngestion, { strict: false });
      const event = usageEvent({ user_id: ada, model: 'old', occurred_at: '2020-02-29T23:59:59Z' });
      const limits = { maxAgeMs: null, maxAheadMs: null };
      expect(await ingestion.record(app.orgId, [event], { limits })).toMatchObject({ accepted: 1 });
      expect(await allUsage(app.call, 'model=old&period=monthly')).toMatchObject([{ period: '2020-02' }]);
    });
  });
});
