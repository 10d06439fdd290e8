import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeAuthority, trustInThisProcess } from '../../test/support/certificates.js';
import { answer, slow, type BehaviourName } from '../../test/support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../test/support/https-endpoint.js';
import { EgressClient, type EgressRequest } from './index.js';

/**
 * Time limit for work that normally takes less than a second. Work that never ends would exceed the time limit of the
 * test.
 */
const BUSY_MS = 30_000;

describe('EgressClient and answers', () => {
  let distrust: () => void;
  let endpoint: Endpoint;
  let egress: EgressClient;

  const send = (more: Partial<EgressRequest> = {}) =>
    egress.send({
      purpose: 'webhooks',
      url: endpoint.url,
      method: 'POST',
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 30_000,
      ...more,
    });

  /** Expects that the failed connection was closed and that no other connection is open. */
  const expectClosed = async (): Promise<void> => {
    for (let n = 0; n < 50 && endpoint.openConnections > 0; n++) await pause(10);
    expect(endpoint.openConnections).toBe(0);
  };

  beforeAll(async () => {
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    endpoint = await startEndpoint({ authority });
  });
  beforeEach(() => {
    egress = new EgressClient({ allow: ['127.0.0.0/8'] });
  });
  afterEach(async () => {
    await egress.close();
    endpoint.behave('ok');
    await expectClosed();
  });
  afterAll(async () => {
    await endpoint.close();
    distrust();
  });

  it('sends method, path, headers and body unchanged, and requests an uncompressed answer', async () => {
    const body = Buffer.from([0x7b, 0x00, 0xff, 0x7d]);
    const headers = { 'Content-Type': 'application/json', 'X-Sign': 'a', Host: 'evil.test', 'Accept-Encoding': 'gzip' };
    await send({ purpose: 'webhooks', url: `${endpoint.url}a/b?x=1&y=%20`, method: 'PUT', headers, body });
    const received = endpoint.requests.at(-1);
    expect(received).toMatchObject({ method: 'PUT', path: '/a/b?x=1&y=%20', body });
    expect(received?.headers).toEqual({
      host: `127.0.0.1:${endpoint.port}`,
      connection: 'keep-alive',
      'content-length': '4',
      'content-type': 'application/json',
      'x-sign': 'a',
      'accept-encoding': 'identity',
    });
  });

  it.each([200, 201, 204, 299, 301, 304, 307, 404, 410, 429, 500, 599])('returns the status %i', async status => {
    endpoint.behave(status);
    const result = await send();
    expect(result).toMatchObject({ status, truncated: false });
    expect(result.error).toBeUndefined();
  });

  it('returns headers in lower case, with repeated ones joined', async () => {
    endpoint.behave({
      act: ({ response }) => {
        response.writeHead(200, { 'X-One': 'a', 'X-Two': ['a', 'b'], __proto__x: 'c' }).end();
      },
    });
    expect((await send()).headers).toMatchObject({ 'x-one': 'a', 'x-two': 'a, b' });
  });

  it.each([
    [16_384, false],
    [16_385, true],
    [5_000_000, true],
  ])('keeps 16 KiB of a body of %i bytes; truncated: %p', async (bytes, truncated) => {
    const whole = Buffer.alloc(bytes, '0123456789abcdef!');
    endpoint.behave(answer(200, whole));
    const result = await send();
    expect(result).toMatchObject({ status: 200, truncated });
    expect(result.body.equals(whole.subarray(0, 16_384))).toBe(true);
  });

  it('does not decompress a compressed body', async () => {
    const packed = gzipSync(Buffer.alloc(1024 * 1024));
    endpoint.behave(answer(200, packed, { 'content-encoding': 'gzip' }));
    expect((await send()).body).toEqual(packed);
  });

  it('keeps binary data', async () => {
    endpoint.behave('invalid utf-8');
    expect((await send()).body).toEqual(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62]));
    endpoint.behave('nul');
    expect((await send()).body).toEqual(Buffer.from('a\0b'));
  });

  it.each<BehaviourName>(['huge body', 'gzip bomb'])('ends a %s early and closes the connection', async behaviour => {
    endpoint.behave(behaviour);
    const result = await send({ timeoutMs: 60_000 });
    expect(result).toMatchObject({ status: 200, truncated: true });
    expect(result.body.length).toBe(16_384);
    expect(result.durationMs).toBeLessThan(BUSY_MS);
    await expectClosed();
  });

  it('returns the part of a slow body that arrived in time, as an answer', async () => {
    endpoint.behave('drip body');
    const result = await send({ timeoutMs: 500 });
    expect(result).toMatchObject({ status: 200, truncated: true });
    expect(result.error).toBeUndefined();
    expect(result.body.toString()).toMatch(/^x{1,5}$/);
    expect(result.durationMs).toBeGreaterThanOrEqual(500);
    expect(result.durationMs).toBeLessThan(BUSY_MS);
    await expectClosed();
  });

  it.each<BehaviourName>(['reset after headers', 'close after headers'])(
    'returns an answer, truncated, despite a %s',
    async behaviour => {
      endpoint.behave(behaviour);
      const result = await send();
      expect(result).toMatchObject({ status: 200, truncated: true, body: Buffer.from('0123456789') });
      expect(result.error).toBeUndefined();
    },
  );

  it('skips an early hint, which is not the final answer', async () => {
    endpoint.behave({
      act: ({ response }) => {
        response.writeEarlyHints({ link: '</a.css>; rel=preload' });
        response.writeProcessing();
        response.writeHead(202).end();
      },
    });
    expect((await send()).status).toBe(202);
  });

  it('uses one connection for consecutive requests', async () => {
    const before = endpoint.connections;
    for (let n = 0; n < 20; n++) {
      await pause(5); // A connection is free again one turn of the event loop after its answer.
      await send();
    }
    expect(endpoint.connections).toBe(before + 1);
  });

  it('makes calls wait above the connection limit, and fails calls whose time ends while they wait', async () => {
    const narrow = new EgressClient({ allow: ['127.0.0.1'], connectionsPerOrigin: 1 });
    endpoint.behave(slow(400));
    const before = { requests: endpoint.requestCount, connections: endpoint.connections };
    const call = (path: string, timeoutMs: number) =>
      narrow.send({ purpose: 'webhooks', url: endpoint.url + path, method: 'POST', headers: {}, timeoutMs });
    const [first, forgotten, last] = await Promise.all([
      call('first', 60_000),
      call('forgotten', 100),
      call('last', 60_000),
    ]);
    expect([first.status, forgotten.error?.code, last.status]).toEqual([200, 'timeout', 200]);
    expect(forgotten.durationMs).toBeLessThan(BUSY_MS);
    expect(endpoint.requests.slice(before.requests).map(({ path }) => path)).toEqual(['/first', '/last']);
    expect(endpoint.connections).toBe(before.connections + 1);
    await narrow.close();
  });
});
