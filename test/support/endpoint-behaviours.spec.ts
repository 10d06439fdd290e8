import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAuthority, type Authority } from './certificates.js';
import { BEHAVIOURS, dripBody, endlessInformational, hugeBody, type BehaviourName } from './endpoint-behaviours.js';
import { startEndpoint, type Doing, type Endpoint } from './https-endpoint.js';
import * as plain from './plain-clients.js';

let authority: Authority;
let endpoint: Endpoint;

beforeAll(async () => {
  authority = await makeAuthority();
  endpoint = await startEndpoint({ authority });
});
afterAll(() => endpoint.close());

function listen(doing: Doing, milliseconds: number, enough?: number): Promise<plain.Wire> {
  endpoint.behave(doing);
  return plain.listen(endpoint.port, authority.caPem, milliseconds, enough);
}

function call(url = endpoint.url): Promise<plain.PlainAnswer> {
  return plain.post(url, '', { ca: authority.caPem, agent: false });
}

describe('an endpoint that misbehaves', () => {
  it('hangs', async () => {
    const before = endpoint.requestCount;
    expect(await listen('hang', 300)).toEqual({ text: '', ended: 'open', pieces: 0 });
    expect(endpoint.requestCount).toBe(before + 1);
  });

  it('sends the body and the headers byte by byte', async () => {
    const body = await listen('drip body', 650);
    expect(body.ended).toBe('open');
    expect(body.text).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n(1\r\nx\r\n){3,6}$/);
    expect((await listen(dripBody(20), 400)).pieces).toBeGreaterThan(body.pieces);
    const headers = await listen('drip headers', 650);
    expect(headers.ended).toBe('open');
    expect('HTTP/1.1 200 OK').toContain(headers.text);
    expect(headers.text.length).toBeGreaterThanOrEqual(3);
    expect(headers.pieces).toBe(headers.text.length);
  });

  it('sends an endless sequence of headers', async () => {
    const { text, ended } = await listen('endless headers', 5000, 2_000_000);
    expect(ended).toBe('enough');
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\nx-more/);
    expect(text).not.toContain('\r\n\r\n');
    endpoint.behave('endless headers');
    await expect(call()).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  });

  it('sends an endless sequence of informational answers', async () => {
    const paced = await listen('endless 1xx', 300);
    expect(paced.ended).toBe('open');
    expect(paced.text.match(/HTTP\/1.1 103/g)!.length).toBeGreaterThan(5);
    expect(paced.text).not.toContain('HTTP/1.1 200');
    expect((await listen(endlessInformational(0), 5000, 1_000_000)).ended).toBe('enough');
  });

  it('sends a body of a gigabyte, and an endless one', async () => {
    const { text, ended } = await listen('huge body', 5000, 20_000_000);
    expect(ended).toBe('enough');
    expect(text.slice(0, 100)).toContain('content-length: 1073741824');
    endpoint.behave(hugeBody(1_000_001));
    expect((await call()).body.length).toBe(1_000_001);
  });

  it('sends a small compressed body that expands to a large one', async () => {
    endpoint.behave('gzip bomb');
    const { body, headers } = await call();
    expect(headers['content-encoding']).toBe('gzip');
    expect(body.length).toBeLessThan(2_000_000);
    let unpacked = 0;
    const gunzip = createGunzip();
    gunzip.end(body);
    for await (const chunk of gunzip) {
      unpacked += (chunk as Buffer).length;
      if (unpacked > 100 * 1024 ** 2) break;
    }
    expect(unpacked).toBeGreaterThan(100 * 1024 ** 2);
  });

  it.each<[Doing, RegExp, string]>([
    ['reset', /^$/, 'ECONNRESET'],
    ['reset after headers', /content-length: 100\r\n\r\n0123456789$/, 'ECONNRESET'],
    ['close', /^$/, 'end'],
    ['close after headers', /content-length: 100\r\n\r\n0123456789$/, 'end'],
    ['garbage', /^SSH-2.0/, 'end'],
  ])('closes the connection early: %s', async (doing, text, ended) => {
    const wire = await listen(doing, 5000);
    expect(wire.text).toMatch(text);
    expect(wire.ended).toBe(ended);
  });

  it('survives clients that disconnect, and closes at once even with open requests', async () => {
    const busy = await startEndpoint({ authority });
    for (const name of Object.keys(BEHAVIOURS) as BehaviourName[]) {
      busy.behave(name);
      const begun = busy.requestCount;
      call(busy.url).catch(() => undefined);
      await busy.reach(begun + 1);
    }
    expect(busy.openConnections).toBeGreaterThan(3);
    const begun = performance.now();
    await busy.close();
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(busy.openConnections).toBe(0);
  });
});
