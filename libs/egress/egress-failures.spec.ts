import { setTimeout as pause } from 'node:timers/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { makeAuthority, trustInThisProcess } from '../../test/support/certificates.js';
import { slow, type Behaviour, type BehaviourName } from '../../test/support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../test/support/https-endpoint.js';
import { EgressClient, type EgressErrorCode, type EgressRequest } from './index.js';

const SECRET = 'hush';
/**
 * Generous limit for work that normally takes less than a second. Work that never ends exceeds the test's own limit.
 */
const BUSY_MS = 30_000;
const raw = (text: string): Behaviour => ({ act: ({ socket }) => void socket.end(text) });

describe('EgressClient and failures', () => {
  let distrust: () => void;
  let endpoint: Endpoint;
  let egress: EgressClient;
  const servers: Server[] = [];

  const send = (more: Partial<EgressRequest> = {}) =>
    egress.send({
      purpose: 'webhooks',
      url: `${endpoint.url}?key=${SECRET}`,
      method: 'POST',
      headers: { authorization: SECRET },
      body: Buffer.from('{}'),
      timeoutMs: 300,
      ...more,
    });
  /**
   * Expects a failure with this code. Only an expected timeout reaches the time limit; other failures come much
   * earlier.
   */
  const expectFailure = async (code: EgressErrorCode, more: Partial<EgressRequest> = {}) => {
    const result = await send({ timeoutMs: code === 'timeout' ? 300 : 60_000, ...more });
    expect(result).toMatchObject({ error: { code }, body: Buffer.alloc(0), truncated: false, headers: {} });
    expect(result.status).toBeUndefined();
    expect(result.error?.message).toMatch(/^[A-Z].*\.$/);
    expect(result.error?.message).not.toContain(SECRET);
    return result;
  };
  /** Starts a TCP server that handles each connection with `act`. */
  const listen = async (act: (socket: Socket) => void): Promise<string> => {
    const server = createServer(socket => {
      socket.on('error', () => undefined).resume();
      act(socket);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    // `address()` returns a string only for a server on a pipe.
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };

  beforeAll(async () => {
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    endpoint = await startEndpoint({ authority });
    egress = new EgressClient({ allow: ['127.0.0.0/8'] });
  });
  afterEach(() => endpoint.behave('ok'));
  afterAll(async () => {
    await egress.close();
    await endpoint.close();
    await Promise.all(servers.map(server => new Promise(done => server.close(done))));
    distrust();
  });

  it.each<[BehaviourName, EgressErrorCode]>([
    ['hang', 'timeout'],
    ['drip headers', 'timeout'],
    ['endless headers', 'protocol'],
    ['informational', 'protocol'],
    ['reset', 'reset'],
    ['close', 'reset'],
    ['garbage', 'protocol'],
  ])('classifies %s as a failure of kind %s', async (behaviour, code) => {
    endpoint.behave(behaviour);
    const { durationMs } = await expectFailure(code);
    expect(durationMs).toBeLessThan(BUSY_MS);
  });

  it.each<[string, Behaviour, EgressErrorCode]>([
    ['an endless sequence of informational answers', raw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)), 'protocol'],
    [
      'a switch to a protocol that was not requested',
      raw('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'protocol',
    ],
    ['an end of the connection within the headers', raw('HTTP/1.1 200 OK\r\nx-a: b\r\nx-c'), 'reset'],
    ['a status that is not a number', raw('HTTP/1.1 abc OK\r\n\r\n'), 'protocol'],
    ['contradictory lengths', raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na'), 'protocol'],
    [
      'an endless reason phrase',
      { act: ({ socket }) => void socket.write(`HTTP/1.1 200 ${'x'.repeat(100_000)}`) },
      'timeout',
    ],
  ])('handles %s', async (_name, behaviour, code) => {
    endpoint.behave(behaviour);
    await expectFailure(code);
  });

  it.each<[Parameters<Endpoint['present']>[0], string]>([
    ['self-signed', 'self-signed'],
    ['wrong host', 'another host'],
    ['expired', 'expired'],
  ])('never sends to an endpoint with an invalid certificate: %s', async (kind, words) => {
    const before = endpoint.requestCount;
    await endpoint.present(kind);
    const { error } = await expectFailure('tls', { timeoutMs: 2_000 });
    await endpoint.present('valid');
    expect(error?.message).toContain(words);
    expect(endpoint.requestCount).toBe(before);
  });

  it('verifies certificates itself, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch it off', async () => {
    const other = new EgressClient({ allow: ['127.0.0.1'] });
    const connect = jest.spyOn(tls, 'connect');
    await other.send({ purpose: 'webhooks', url: endpoint.url, method: 'GET', headers: {} });
    await other.close();
    expect(connect).toHaveBeenCalledWith(expect.objectContaining({ rejectUnauthorized: true }));
    connect.mockRestore();
  });

  it('trusts only the authorities of the process', async () => {
    const stranger = await startEndpoint({ authority: await makeAuthority('Stranger') });
    const { error } = await expectFailure('tls', { purpose: 'webhooks', url: stranger.url });
    await stranger.close();
    expect(error?.message).toMatch(/authority/);
  });

  it('ends in time at a server that accepts and never starts TLS', async () => {
    const url = await listen(() => undefined);
    const { durationMs } = await expectFailure('timeout', { url });
    expect(durationMs).toBeGreaterThanOrEqual(300);
    expect(durationMs).toBeLessThan(BUSY_MS);
  });

  it('reports a server that does not use TLS', async () => {
    const url = await listen(socket => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expectFailure('tls', { url });
  });

  it('reports a connection that closes before TLS is established', async () => {
    const url = await listen(socket => void socket.resetAndDestroy());
    await expectFailure('reset', { url });
  });

  it('reports a port without a listener', async () => {
    await expectFailure('connect', { purpose: 'webhooks', url: 'https://127.0.0.1:1/' });
  });

  it('describes an invalid header', async () => {
    const { error } = await expectFailure('protocol', { headers: { 'x-a': `${SECRET}\r\nx-b: c` } });
    expect(error?.message).toContain('header');
  });

  it('ends at once when the caller aborts', async () => {
    endpoint.behave('hang');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const { durationMs } = await expectFailure('aborted', { abort: controller.signal });
    expect(durationMs).toBeLessThan(BUSY_MS);
  });

  it('sends nothing if the caller aborted before', async () => {
    const before = endpoint.requestCount;
    await expectFailure('aborted', { abort: AbortSignal.abort() });
    expect(endpoint.requestCount).toBe(before);
  });

  it.each([50, 100, 200, 333])('never times out before %i ms have passed', async timeoutMs => {
    endpoint.behave('hang');
    const gaps = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const before = performance.now();
        await send({ timeoutMs });
        return performance.now() - before;
      }),
    );
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(timeoutMs);
    expect(Math.max(...gaps)).toBeLessThan(timeoutMs + BUSY_MS);
  });

  it('works normally after failures', async () => {
    for (const behaviour of ['reset', 'endless headers', 'hang', 'garbage'] as const) {
      endpoint.behave(behaviour);
      await send({ timeoutMs: 100 });
      endpoint.behave('ok');
      expect((await send({ timeoutMs: 2_000 })).status).toBe(200);
    }
  });

  it('ends running calls when it is closed, and accepts no more', async () => {
    const other = new EgressClient({ allow: ['127.0.0.1'] });
    endpoint.behave(slow(3_000));
    const call = () => other.send({ purpose: 'webhooks', url: endpoint.url, method: 'GET', headers: {} });
    const running = call();
    await endpoint.reach(endpoint.requestCount + 1);
    await other.close();
    await other.close();
    expect((await running).error?.code).toBe('aborted');
    expect((await call()).error?.code).toBe('aborted');
  });

  it('leaves no half-open connection when it is closed', async () => {
    const other = new EgressClient({ allow: ['127.0.0.1'] });
    const accepted: Socket[] = [];
    const url = await listen(socket => accepted.push(socket));
    const running = other.send({ purpose: 'webhooks', url, method: 'GET', headers: {} });
    while (accepted.length === 0) await pause(5);
    const gone = once(accepted[0]!, 'close', { signal: AbortSignal.timeout(5_000) });
    await other.close();
    await gone;
    expect((await running).error?.code).toBe('aborted');
  });
});
