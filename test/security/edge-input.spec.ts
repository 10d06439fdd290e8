import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isInstant } from '../../libs/access/http/instant.js';
import { parseInstant } from '../../libs/usage/events/instant.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** Times in the format of both parsers, at and beyond every limit. */
const INSTANTS = ['0000-01-01', '0001-01-01', '0099-12-31', '1969-12-31', '1970-01-01', '2025-02-29', '9999-12-31']
  .flatMap(day => ['00:00', '00:00:00', '23:59:59.999999999', '24:00:00', '23:59:60'].map(time => `${day}T${time}`))
  .flatMap(local => ['', 'Z', '+00:01', '-00:01', '+23:59', '-23:59', '+24:00'].map(offset => local + offset));

describe('extreme input', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  it('is the same time in a field of a request and in a usage event', () => {
    const asField = INSTANTS.map(text => [text, isInstant(text) ? Date.parse(text) : undefined]);
    const asEvent = INSTANTS.map(text => [text, parseInstant(text)]);
    expect(asField).toEqual(asEvent);
    expect(asField.filter(([, instant]) => instant !== undefined).length).toBeGreaterThan(20);
  });

  it.each([
    ['0000-01-01T00:00:00Z', 400],
    ['0000-01-01T00:00:00+23:59', 400],
    ['9999-12-31T23:59:59-12:00', 400],
    ['2026-11-20T24:00:00Z', 400],
    ['1970-01-01T00:00:00Z', 200],
    ['9999-12-31T23:59:59Z', 200],
  ])('as the start of a price, %s is answered with %d', async (effective_from, status) => {
    const price = { provider: 'acme', model: 'edge', input_per_million_usd: 1, output_per_million_usd: 1 };
    expect((await app.call('PUT', '/v1/prices', { ...price, effective_from })).status).toBe(status);
  });

  it.each(['%ff', '%', '%E0%A4%A'])('answers the undecodable id %s like an unknown one', async id => {
    for (const path of ['policies', 'users', 'webhooks']) {
      const { status, body } = await app.call('GET', `/v1/${path}/${id}`);
      expect([status, body]).toEqual([404, expect.objectContaining({ error: 'not_found' })]);
    }
  });

  const bodies = ['/v1/policies', '/v1/users', '/v1/tokens', '/v1/webhooks'];
  it.each(bodies)('POST %s refuses 90,000 unknown fields quickly', async path => {
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`k${n}`, 1])));
    const start = performance.now();
    const answer = await app.call('POST', path, body, { 'content-type': 'application/json' });
    // The request takes a second on an idle machine. If the app compared each field with all others, it would take
    // minutes.
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('more than 1000 keys') } });
  });
});
