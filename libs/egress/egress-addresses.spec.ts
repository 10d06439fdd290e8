import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAuthority, trustInThisProcess, type Authority } from '../../test/support/certificates.js';
import { startDnsServer, type DnsAnswer, type DnsServer } from '../../test/support/dns-server.js';
import { redirect } from '../../test/support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../test/support/https-endpoint.js';
import { EgressClient, EgressRefusedError, type EgressOptions, type EgressRequest } from './index.js';

const NAME = 'hooks.test';
const post = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  purpose: 'webhooks',
  url,
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 30_000,
  ...more,
});

describe('EgressClient and addresses', () => {
  let authority: Authority;
  let distrust: () => void;
  let dns: DnsServer;
  let inside: Endpoint;
  let outside: Endpoint;
  let clients: EgressClient[] = [];

  const client = (options: EgressOptions = {}): EgressClient => {
    const made = new EgressClient({ nameServers: [dns.address], ...options });
    clients.push(made);
    return made;
  };
  const answer = (addresses: DnsAnswer): void => dns.answer(name => (name === NAME ? addresses : 'nxdomain'));

  beforeAll(async () => {
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    dns = await startDnsServer(() => 'nxdomain');
  });
  afterAll(async () => {
    distrust();
    await dns.close();
  });

  // One machine has two addresses with the same port. One of the addresses stands for an external host.
  beforeAll(async () => {
    outside = await startEndpoint({ authority, host: '127.0.0.2', names: [NAME] });
    inside = await startEndpoint({ authority, host: '127.0.0.1', names: [NAME] });
  });
  afterEach(async () => {
    await Promise.all(clients.map(made => made.close()));
    clients = [];
  });
  afterAll(() => Promise.all([inside.close(), outside.close()]));

  it('connects to the address that it checked, and resolves the name once per connection', async () => {
    const egress = client({ allow: ['127.0.0.2'] });
    const before = dns.count(NAME, 'A');
    dns.answer((_name, type, n) => (type === 'A' && n === before + 1 ? ['127.0.0.2'] : ['127.0.0.1']));
    const first = await egress.send(post(outside.urlFor(NAME)));
    expect(first).toMatchObject({ status: 200, body: Buffer.from('ok') });
    expect(dns.count(NAME, 'A')).toBe(before + 1);
    await pause(20); // A connection is free again one turn of the event loop after its answer.
    expect((await egress.send(post(outside.urlFor(NAME)))).status).toBe(200);
    expect(outside.connections).toBe(1);
    expect(dns.count(NAME, 'A')).toBe(before + 1);
  });

  it('opens no connection to a private address if a name resolves to it after its check', async () => {
    const egress = client();
    answer(['93.184.215.14']);
    await egress.vet('webhooks', inside.urlFor(NAME));
    answer(['127.0.0.1']);
    const { error, status } = await egress.send(post(inside.urlFor(NAME)));
    expect(status).toBeUndefined();
    expect(error).toMatchObject({ code: 'refused_address', message: expect.stringContaining('a loopback address') });
    expect(error?.message).not.toContain('127.0.0.1');
    expect(inside.connections).toBe(0);
  });

  it.each([
    [['127.0.0.2', '127.0.0.1']],
    [['127.0.0.2', '::1']],
    [['127.0.0.2', '::ffff:127.0.0.1']],
    [['93.184.215.14', '10.0.0.1']],
  ])('refuses the mixed answer %j as a whole', async addresses => {
    const egress = client({ allow: ['127.0.0.2'] });
    answer(addresses);
    const connections = outside.connections;
    await expect(egress.vet('webhooks', outside.urlFor(NAME))).rejects.toThrow(EgressRefusedError);
    expect((await egress.send(post(outside.urlFor(NAME)))).error?.code).toBe('refused_address');
    expect([outside.connections, inside.connections]).toEqual([connections, 0]);
  });

  it('calls a name with addresses of one family, whatever the result of the other query', async () => {
    const egress = client({ allow: ['127.0.0.2'] });
    dns.answer((_name, type) => (type === 'A' ? ['127.0.0.2'] : 'servfail'));
    expect((await egress.send(post(outside.urlFor(NAME)))).status).toBe(200);
  });

  it('tries the next address if the first does not answer', async () => {
    const egress = client({ allow: ['127.0.0.0/8'] });
    answer(['127.0.0.77', '127.0.0.2']);
    expect((await egress.send(post(outside.urlFor(NAME)))).status).toBe(200);
  });

  it('does not follow a redirect', async () => {
    const egress = client({ allow: ['127.0.0.2'] });
    answer(['127.0.0.2']);
    outside.behave(redirect(inside.url, 307));
    const result = await egress.send(post(outside.urlFor(NAME)));
    outside.behave('ok');
    expect(result).toMatchObject({ status: 307, headers: { location: inside.url } });
    expect(result.error).toBeUndefined();
    expect(inside.connections).toBe(0);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost', 'a.localhost.'])(
    'opens no connection to https://%s/',
    async host => {
      const egress = client();
      const url = `https://${host}:${inside.port}/`;
      await expect(egress.vet('webhooks', url)).rejects.toThrow(/loopback|disguise/);
      expect((await egress.send(post(url))).error?.code).toBe('refused_address');
      expect(inside.connections).toBe(0);
    },
  );

  it('refuses a URL against the rules, with the same message at the check and at the call', async () => {
    const egress = client();
    await expect(egress.vet('webhooks', 'http://example.com/')).rejects.toMatchObject({ reason: 'refused_url' });
    expect(await egress.send(post('http://example.com/'))).toMatchObject({
      error: { code: 'refused_url', message: 'Only https: URLs are called; begin the URL with https://.' },
    });
  });

  it('calls localhost if an allowed network contains one of its addresses', async () => {
    const egress = client({ allow: ['127.0.0.1'] });
    const questions = dns.questions.length;
    await egress.vet('webhooks', inside.urlFor('localhost'));
    expect((await egress.send(post(inside.urlFor('localhost')))).status).toBe(200);
    expect(dns.questions.length).toBe(questions);
  });

  it('calls no other address of localhost', async () => {
    const before = inside.connections;
    const { error } = await client({ allow: ['::1'] }).send(post(inside.urlFor('localhost')));
    expect(error?.code).toBe('connect');
    expect(inside.connections).toBe(before);
  });

  it('calls an allowed address without a name', async () => {
    const egress = client({ allow: ['127.0.0.1'] });
    expect((await egress.send(post(inside.url))).status).toBe(200);
  });

  it.each<[DnsAnswer, string]>([
    ['nxdomain', 'there is no such name'],
    [[], 'it has no address'],
    ['servfail', 'the name server failed'],
    ['silent', 'no name server answered in time'],
  ])('accepts a name that is %j, and fails to call it with dns', async (script, reason) => {
    const egress = client();
    answer(script);
    await egress.vet('webhooks', `https://${NAME}/`);
    const { error } = await egress.send(post(`https://${NAME}/`, { timeoutMs: 9_000 }));
    expect(error).toEqual({ code: 'dns', message: `The name ${NAME} could not be resolved: ${reason}.` });
  });

  it('ends in time while name servers do not answer', async () => {
    answer('silent');
    const { error, durationMs } = await client().send(post(`https://${NAME}/`, { timeoutMs: 300 }));
    expect(error?.code).toBe('timeout');
    expect(durationMs).toBeGreaterThanOrEqual(300);
    expect(durationMs).toBeLessThan(20_000);
  });

  it('reaches a private address only for the purpose of an entry, also over an open connection', async () => {
    const egress = client({ allow: ['webhooks=127.0.0.2'] });
    answer(['127.0.0.2']);
    const url = outside.urlFor(NAME);
    expect(await egress.send(post(url))).toMatchObject({ status: 200 });
    const other = await egress.send(post(url, { purpose: 'tickets' }));
    expect(other).toMatchObject({ error: { code: 'refused_address' } });
    await expect(egress.vet('chat', url)).rejects.toThrow('a loopback address');
    await expect(egress.vet('webhooks', url)).resolves.toBe(url);
  });

  it('reaches a private address only at the port of an entry', async () => {
    const [, port] = outside.url.match(/:(\d+)/) ?? [];
    const egress = client({ allow: [`127.0.0.2:${port}`, '127.0.0.1:1'] });
    const before = inside.connections;
    for (const host of ['127.0.0.2', NAME]) {
      answer(['127.0.0.2']);
      expect(await egress.send(post(outside.urlFor(host)))).toMatchObject({ status: 200 });
      answer(['127.0.0.1']);
      const refused = inside.urlFor(host === NAME ? NAME : '127.0.0.1');
      expect(await egress.send(post(refused))).toMatchObject({ error: { code: 'refused_address' } });
    }
    expect(inside.connections).toBe(before);
  });

  it.each([
    [['127.0.0.2'], false],
    [['tickets=127.0.0.2', '127.0.0.2'], false],
    [['webhooks=127.0.0.2:1', '127.0.0.2'], false],
    [['webhooks=127.0.0.2'], true],
  ])('says under %j whether an answer may be shown: %s', async (allow, mayShow) => {
    const egress = client({ allow });
    answer(['127.0.0.2']);
    for (const host of ['127.0.0.2', NAME, NAME]) {
      expect(await egress.send(post(outside.urlFor(host)))).toMatchObject({ status: 200, mayShow });
    }
  });

  it.each([
    [{ allow: ['10.0.0.0/33'] }, 'egress.allow: "10.0.0.0/33"'],
    [{ nameServers: ['dns.example'] }, 'egress.nameServers: ["dns.example"]'],
    [{ connectionsPerOrigin: 0 }, 'egress.connectionsPerOrigin: 0'],
  ])('does not start with %j', (options, message) => {
    expect(() => new EgressClient(options)).toThrow(message);
  });
});
