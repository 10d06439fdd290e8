import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { ask, type VendorAnswer } from '../vendor-client.js';
import { describeVendorFaults } from '../vendor-fault.rules.js';
import { startEventsApi, type EventsApi } from './events-api.js';

const platforms = platformAccess();
let api: EventsApi;
beforeEach(async () => {
  api = await startEventsApi({ authority: platforms.authority });
});
afterEach(() => api.close());

const PAYLOAD = { summary: 'ada used gpt-4o', source: 'gateway.acme.test', severity: 'critical' };

const send = (event: object | string): Promise<VendorAnswer> =>
  ask(platforms.egress, `${api.origin}/v2/enqueue`, typeof event === 'string' ? { text: event } : { json: event });

const event = (more: JsonObject = {}): JsonObject => ({
  ...{ routing_key: api.routingKey, event_action: 'trigger', dedup_key: 'inc-1', payload: PAYLOAD },
  ...more,
});
const follow = (event_action: string, more: JsonObject = {}): JsonObject => ({
  ...{ routing_key: api.routingKey, event_action, dedup_key: 'inc-1' },
  ...more,
});
const statuses = (): string[] => api.alerts.all.map(({ status }) => status);

/** https://developer.pagerduty.com/docs/events-api-v2/trigger-events/, "Parameters". */
describe('the parameters of an event', () => {
  it.each<[string, JsonObject, string]>([
    ['no routing key', { routing_key: '' }, "'routing_key' is missing or blank"],
    [
      'a routing key that does not have 32 characters',
      { routing_key: 'e93facc0' },
      "Length of 'routing_key' is incorrect (should be 32 characters)",
    ],
    ['no action', { event_action: '' }, "'event_action' is missing or blank"],
    ['an unknown action', { event_action: 'close' }, "'event_action' is invalid"],
    ['a deduplication key of 256 characters', { dedup_key: 'k'.repeat(256) }, "'dedup_key' is too long"],
    ['a trigger without payload', { payload: null }, "'payload' is missing or blank"],
    ['no summary', { payload: { ...PAYLOAD, summary: '' } }, "'payload.summary' is missing or blank"],
    [
      'a summary of 1,025 characters',
      { payload: { ...PAYLOAD, summary: 's'.repeat(1_025) } },
      "'payload.summary' is too",
    ],
    ['no source', { payload: { summary: 'x', severity: 'info' } }, "'payload.source' is missing or blank"],
    ['a severity of another platform', { payload: { ...PAYLOAD, severity: 'high' } }, "'payload.severity' is invalid"],
    [
      'details that are not an object',
      { payload: { ...PAYLOAD, custom_details: 'x' } },
      "'payload.custom_details' must",
    ],
    ['a link without an href', { links: [{ text: 'x' }] }, "'links[0].href' is missing or blank"],
    ['an image over plain HTTP', { images: [{ src: 'http://a.test/b.png' }] }, "'images[0].src' must be served via"],
  ])('refuse %s with 400 and the list of errors', async (_name, more, error) => {
    const { status, json } = await send(event(more));
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { status: 'invalid event', message: 'Event object is invalid' },
    });
    expect((json as { errors: string[] }).errors).toEqual([expect.stringContaining(error)]);
    expect(api.alerts.all).toEqual([]);
  });

  it('accept the longest deduplication key, 255 characters, and the longest summary, 1,024', async () => {
    const payload = { ...PAYLOAD, summary: 's'.repeat(1_024) };
    expect(await send(event({ dedup_key: 'k'.repeat(255), payload }))).toMatchObject({ status: 202 });
  });

  it.each(['critical', 'error', 'warning', 'info'])('accept the severity %s', async severity => {
    expect(await send(event({ payload: { ...PAYLOAD, severity } }))).toMatchObject({ status: 202 });
  });

  it.each(['acknowledge', 'resolve'])('require a deduplication key of %s', async action => {
    expect(await send(follow(action, { dedup_key: '' }))).toMatchObject({
      status: 400,
      json: { errors: ["'dedup_key' is missing or blank"] },
    });
  });
});

/** https://developer.pagerduty.com/docs/events-api-v2/overview/, "Response Codes & Retry Logic". */
describe('the answers', () => {
  it('are 202 and success with the deduplication key of the event', async () => {
    expect(await send(event())).toMatchObject({
      status: 202,
      json: { status: 'success', message: 'Event processed', dedup_key: 'inc-1' },
    });
  });

  it.each(['{"routing_key":', '[]', '"trigger"'])('are 400 and “Unrecognized object” for the body %s', async body => {
    expect(await send(body)).toMatchObject({
      status: 400,
      json: { status: 'Unrecognized object', errors: ['JSON parse error'] },
    });
  });

  it('refuse a body of more than 512 KB', async () => {
    const custom_details = { prompt: 'x'.repeat(512_000) };
    expect(await send(event({ payload: { ...PAYLOAD, custom_details } }))).toMatchObject({ status: 413 });
    expect(api.alerts.all).toEqual([]);
  });

  it('refuse an unknown integration key, or accept and drop its events, depending on the account', async () => {
    const routing_key = 'f'.repeat(32);
    expect(await send(event({ routing_key }))).toMatchObject({ status: 400 });
    api.conditions.unknownKey = 'dropped';
    expect(await send(event({ routing_key }))).toMatchObject({ status: 202, json: { status: 'success' } });
    expect(api.alerts.all).toEqual([]);
  });

  it('allow no reads', async () => {
    expect(await ask(platforms.egress, `${api.origin}/v2/enqueue`)).toMatchObject({ status: 404 });
  });
});

/** https://developer.pagerduty.com/docs/events-api-v2/trigger-events/, "Alert De-Duplication" and "Event Action Behavior". */
describe('deduplication', () => {
  it('adds another trigger to the open alert', async () => {
    await send(event());
    await send(event());
    expect(api.alerts.all).toMatchObject([{ dedupKey: 'inc-1', log: [{ action: 'trigger' }, { action: 'trigger' }] }]);
  });

  it('opens an alert with a generated key for each trigger without a key', async () => {
    const { dedup_key: _key, ...without } = event();
    const [one, other] = [await send(without), await send(without)];
    expect(api.alerts.all).toHaveLength(2);
    expect((one.json as JsonObject)['dedup_key']).toBe(api.alerts.all[0]?.dedupKey);
    expect((one.json as JsonObject)['dedup_key']).not.toBe((other.json as JsonObject)['dedup_key']);
  });

  it('acknowledges and resolves the open alert', async () => {
    await send(event());
    await send(follow('acknowledge'));
    expect(statuses()).toEqual(['acknowledged']);
    await send(follow('resolve'));
    expect(statuses()).toEqual(['resolved']);
  });

  it('does not change an acknowledged alert when another trigger arrives', async () => {
    await send(event());
    await send(follow('acknowledge'));
    await send(event());
    expect(statuses()).toEqual(['acknowledged']);
  });

  it.each(['acknowledge', 'resolve'])(
    'accepts and drops %s if the alert is resolved or never existed',
    async action => {
      expect(await send(follow(action))).toMatchObject({ status: 202, json: { status: 'success' } });
      await send(event());
      await send(follow('resolve'));
      expect(await send(follow(action))).toMatchObject({ status: 202, json: { status: 'success' } });
      expect(statuses()).toEqual(['resolved']);
      expect(api.alerts.dropped).toHaveLength(2);
    },
  );

  it('opens a second alert with the same key after the first is resolved', async () => {
    await send(event());
    await send(follow('resolve'));
    await send(event());
    expect(statuses()).toEqual(['resolved', 'triggered']);
  });

  it('drops a resolve event with the key of another integration', async () => {
    const other = 'a'.repeat(32);
    api.integrations.add(other);
    await send(event());
    expect(await send(follow('resolve', { routing_key: other }))).toMatchObject({ status: 202 });
    expect(statuses()).toEqual(['triggered']);
  });
});

/** https://developer.pagerduty.com/docs/events-api-v2/rate-limits/. */
describe('the rate limit', () => {
  it('answers 429 without Retry-After, drops the events, and accepts events again a minute later', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    api.alerts.now = () => now;
    api.conditions.eventsPerMinute = 2;
    await send(event({ dedup_key: 'inc-1' }));
    await send(event({ dedup_key: 'inc-2' }));
    const third = await send(event({ dedup_key: 'inc-3' }));
    expect(third).toMatchObject({ status: 429, json: { status: 'throttle exceeded' } });
    expect(third.headers).not.toHaveProperty('retry-after');
    expect(api.alerts.all).toHaveLength(2);
    now = new Date('2026-01-01T00:01:00Z');
    expect(await send(event({ dedup_key: 'inc-3' }))).toMatchObject({ status: 202 });
  });

  it('counts each integration key separately', async () => {
    const other = 'b'.repeat(32);
    api.integrations.add(other);
    api.conditions.eventsPerMinute = 1;
    await send(event());
    expect(await send(event({ routing_key: other }))).toMatchObject({ status: 202 });
  });
});

describeVendorFaults({
  platform: () => api,
  create: () => send(event()),
  count: () => api.alerts.all.length,
  success: 202,
});
