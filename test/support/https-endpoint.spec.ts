import { Agent, type RequestOptions } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeAuthority, type Authority } from './certificates.js';
import { answer, redirect, slow } from './endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from './https-endpoint.js';
import { post, type PlainAnswer } from './plain-clients.js';

let authority: Authority;
let endpoint: Endpoint;

beforeAll(async () => {
  authority = await makeAuthority();
  endpoint = await startEndpoint({ authority });
});
beforeEach(() => endpoint.behave('ok'));
afterAll(() => endpoint.close());

function call(body = '', options: RequestOptions = {}, url = endpoint.url): Promise<PlainAnswer> {
  return post(url, body, { ca: authority.caPem, ...options });
}

describe('an endpoint that answers', () => {
  it('stores the requests', async () => {
    const before = Date.now();
    await call('{"a":1}', { path: '/hook?x=1', headers: { 'x-mine': 'yes' } });
    const got = endpoint.requests.at(-1)!;
    expect(got).toMatchObject({ method: 'POST', path: '/hook?x=1', headers: { 'x-mine': 'yes' } });
    expect(got.body.toString()).toBe('{"a":1}');
    expect(got.arrivedAt).toBeGreaterThanOrEqual(before);
    expect(got.arrivedAt).toBeLessThanOrEqual(Date.now());
    expect(got.arrivedTick).toBeLessThanOrEqual(performance.now());
  });

  it('keeps the connection open, and counts connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const before = endpoint.connections;
    for (const status of [200, 410, 204]) {
      endpoint.behave(status);
      expect((await call('', { agent })).status).toBe(status);
    }
    expect(endpoint.connections).toBe(before + 1);
    expect(new Set(endpoint.requests.slice(-3).map(({ connection }) => connection)).size).toBe(1);
    agent.destroy();
  });

  it('answers by a script, with the request and its number as arguments', async () => {
    const begun = endpoint.requestCount;
    endpoint.behave((request, n) => (n === begun + 1 ? 500 : answer(200, request.body)));
    expect((await call('first')).status).toBe(500);
    expect(String((await call('second')).body)).toBe('second');
  });

  it('redirects, delays, and sends binary data', async () => {
    endpoint.behave(redirect('https://127.0.0.1/'));
    expect(await call()).toMatchObject({ status: 302, headers: { location: 'https://127.0.0.1/' } });
    endpoint.behave(slow(150));
    const begun = performance.now();
    expect((await call()).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(150 - 2);
    endpoint.behave('invalid utf-8');
    const { body } = await call();
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(body)).toThrow('not valid');
    endpoint.behave('nul');
    expect([...(await call()).body]).toEqual([97, 0, 98]);
  });

  it('sends informational answers before the final one', async () => {
    endpoint.behave('informational');
    expect(await call()).toMatchObject({ status: 200, informational: [100, 103] });
  });

  it('only counts requests if told to, and reports when enough have arrived', async () => {
    const counting = await startEndpoint({ authority, keep: false, behaviour: () => 'ok' });
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const reached = counting.reach(500);
    await Promise.all(Array.from({ length: 500 }, () => call('{}', { agent }, counting.url)));
    await reached;
    expect([counting.requestCount, counting.requests.length]).toEqual([500, 0]);
    await expect(counting.reach(501, 20)).rejects.toThrow('500 of 501 requests arrived within 20 ms');
    agent.destroy();
    await counting.close();
  });
});
