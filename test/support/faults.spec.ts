import { execFileSync } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { request } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeAuthority, trustInThisProcess, type Authority, type CertificateKind } from './certificates.js';
import { startDnsServer, type DnsServer } from './dns-server.js';
import { startEndpoint, type Endpoint } from './https-endpoint.js';

let authority: Authority;

beforeAll(async () => {
  authority = await makeAuthority();
});

/** The status of an answer, or the code of an error. */
function call(url: string, ca?: string): Promise<number | string | undefined> {
  return new Promise(done => {
    const sent = request(url, { ...(ca === undefined ? {} : { ca }), agent: false }, answer => {
      answer.resume();
      done(answer.statusCode);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => done(error.code));
    sent.end();
  });
}

describe('the certificates of tests', () => {
  let endpoint: Endpoint;

  beforeEach(() => endpoint.present('valid'));
  beforeAll(async () => {
    endpoint = await startEndpoint({ authority, names: ['hooks.test'] });
  });
  afterAll(() => endpoint.close());

  it('are trusted by every client of the process until the trust is removed', async () => {
    expect(await call(endpoint.url)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    const undo = trustInThisProcess(authority.caPem);
    expect(await call(endpoint.url)).toBe(200);
    expect(await call(endpoint.urlFor('localhost'))).toBe(200);
    undo();
    expect(await call(endpoint.url)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  it("are trusted by a process that is started with the authority's file", () => {
    const script = `require('tls').getCACertificates('extra').forEach(pem => console.log(pem))`;
    const env = { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: authority.caFile() };
    expect(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }).trim()).toBe(authority.caPem);
  });

  it.each<[CertificateKind, string]>([
    ['wrong host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['expired', 'CERT_HAS_EXPIRED'],
    ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('can be invalid: %s', async (kind, code) => {
    expect(await call(endpoint.url, authority.caPem)).toBe(200);
    await endpoint.present(kind);
    expect(await call(endpoint.url, authority.caPem)).toBe(code);
    await endpoint.present('valid');
    expect(await call(endpoint.url, authority.caPem)).toBe(200);
  });
});

describe('the DNS server of tests', () => {
  let dns: DnsServer;
  const resolver = new Resolver({ timeout: 150, tries: 1 });

  beforeAll(async () => {
    dns = await startDnsServer((name, type, n) => {
      if (name === 'none.test') return 'nxdomain';
      if (name === 'broken.test') return 'servfail';
      if (name === 'silent.test') return 'silent';
      if (name === 'empty.test') return [];
      return type === 'A' ? [`10.0.0.${n}`, '192.168.0.1'] : ['fd00::1', '10.9.9.9'];
    });
    resolver.setServers([dns.address]);
  });
  afterAll(() => dns.close());

  it('answers by the script, with the number of the query and a TTL of 0', async () => {
    expect(await resolver.resolve4('a.test', { ttl: true })).toEqual([
      { address: '10.0.0.1', ttl: 0 },
      { address: '192.168.0.1', ttl: 0 },
    ]);
    expect(await resolver.resolve4('A.test')).toEqual(['10.0.0.2', '192.168.0.1']);
    expect(await resolver.resolve6('a.test')).toEqual(['fd00::1']);
    expect([dns.count('a.test'), dns.count('a.test', 'A'), dns.count('b.test')]).toEqual([3, 2, 0]);
    expect(dns.questions).toContainEqual({ name: 'a.test', type: 'AAAA' });
  });

  it.each([
    ['none.test', 'ENOTFOUND'],
    ['broken.test', 'ESERVFAIL'],
    ['silent.test', 'ETIMEOUT'],
    ['empty.test', 'ENODATA'],
  ])('can fail: %s', async (name, code) => {
    await expect(resolver.resolve4(name)).rejects.toMatchObject({ code });
    expect(dns.count(name, 'A')).toBe(1);
  });

  it('switches to another script on request', async () => {
    dns.answer(() => ['127.0.0.1']);
    expect(await resolver.resolve4('none.test')).toEqual(['127.0.0.1']);
  });
});
