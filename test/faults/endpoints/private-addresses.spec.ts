import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeAuthority, trustInThisProcess } from '../../support/certificates.js';
import { startDnsServer, type DnsAnswer, type DnsServer } from '../../support/dns-server.js';
import { answer, redirect } from '../../support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../support/https-endpoint.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { fireEvents, registerWebhook, until } from '../../support/webhooks.js';
import { OTHER_HOSTS, OWN_HOSTS, PRIVATE_ADDRESSES } from './private-hosts.js';
import { setTraps, type Traps } from './traps.js';

/** Stands for a public address, and is the only address that the app may call. */
const OUTSIDE = '127.0.0.2';
/** A public address to which nobody connects, because the name already has another address when a request is sent. */
const PUBLIC = '93.184.215.14';

let dns: DnsServer;
let endpoint: Endpoint;
let traps: Traps;
let app: TestApp;
let distrust: () => void;
/** Each test has its own organization and host name, because allowed connections are kept open for a while. */
let orgId: string;
let call: Call;
let name: string;
let names = 0;

beforeAll(async () => {
  const authority = await makeAuthority();
  distrust = trustInThisProcess(authority.caPem);
  dns = await startDnsServer(() => 'nxdomain');
  // Tries several ports, because another process may use the same port on an address of a trap.
  let set: Traps | void = undefined;
  for (let tries = 1; !set; tries++) {
    endpoint = await startEndpoint({ authority, host: OUTSIDE, names: ['*.hooks.test'] });
    set = await setTraps(endpoint.port).catch(async error => {
      await endpoint.close();
      if (tries === 5) throw error;
    });
  }
  traps = set;
  app = await startTestApp({ egress: { allow: [`${OUTSIDE}/32`], nameServers: [dns.address] } });
});

afterAll(async () => {
  await app?.close();
  await traps?.close();
  await endpoint?.close();
  await dns?.close();
  distrust?.();
});

beforeEach(async () => {
  ({ orgId, call } = await app.addOrganization());
  name = `${++names}.hooks.test`;
  traps.forget();
  endpoint.behave('ok');
  say([OUTSIDE]);
});

afterEach(() => expectNothingCaught());

/** Sets the addresses of the name. */
function say(addresses: DnsAnswer): void {
  dns.answer(asked => (asked === name ? addresses : 'nxdomain'));
}

/** The requests that the endpoint has received for the name. */
const arrived = () => endpoint.requests.filter(({ headers }) => headers.host === `${name}:${endpoint.port}`);
const urlFor = (host: string, port = endpoint.port): string => `https://${host}:${port}/`;
const register = async (url: string): Promise<string> => (await registerWebhook(call, { url })).id;
const latestOf = async (id: string): Promise<Answer['body']> =>
  (await call('GET', `/v1/webhooks/${id}/deliveries?limit=1`)).body.items[0];

/** The first attempt of the latest delivery to each webhook. */
function firstAttempts(ids: readonly string[]): Promise<Answer['body'][]> {
  return Promise.all(ids.map(id => until<Answer['body']>(async () => (await latestOf(id))?.attempts[0], 20_000)));
}

/** Fires an event. Returns the error, or the status, of the first attempt at each webhook. */
async function fire(ids: readonly string[]): Promise<(string | null)[]> {
  await fireEvents(app, orgId);
  return (await firstAttempts(ids)).map(({ error, http_status }) => error ?? String(http_status));
}

function expectNothingCaught(): void {
  expect(traps.caught).toEqual({});
}

async function expectRefusal(url: string): Promise<void> {
  for (const refused of [
    await call('POST', '/v1/webhooks', { url }),
    await call('PATCH', `/v1/webhooks/${await register(urlFor(name))}`, { url }),
  ]) {
    expect(refused.status).toBe(400);
    expect(refused.body.details).toEqual([
      { field: 'url', message: expect.stringMatching(/only public addresses are called/) },
    ]);
  }
}

async function expectRefusalOfName(): Promise<void> {
  const refused = await call('POST', '/v1/webhooks', { url: urlFor(name) });
  expect(refused.status).toBe(400);
  expect(refused.body.details).toEqual([{ field: 'url', message: expect.stringContaining(name) }]);
}

describe('a URL with a private host', () => {
  it.each([...OWN_HOSTS, ...OTHER_HOSTS])('is refused: https://%s/', async host => {
    const questions = dns.questions.length;
    for (const port of traps.ports) await expectRefusal(urlFor(host, port));
    // Only the name of the existing webhook is looked up, and no private host.
    expect(dns.questions.slice(questions).every(question => question.name === name)).toBe(true);
  });

  it('is not called if it was registered before the rule was on', async () => {
    const hosts = [...OWN_HOSTS, ...OTHER_HOSTS];
    const ids: string[] = [];
    for (const host of hosts) {
      const id = await register(urlFor(name));
      await app.database.asOwner('update governance.webhooks set url = $1 where id = $2', [urlFor(host), id]);
      ids.push(id);
    }
    const errors = await fire(ids);
    expect(errors).toEqual(hosts.map(() => expect.stringMatching(/^refused_address: /)));
    expect(arrived()).toEqual([]);
  });

  it('reaches the listeners of this test if it is allowed', async () => {
    const allowed = ['127.0.0.0/8', '::1', '0.0.0.0', '::', '::ffff:0:0/96'];
    const open = await startTestApp({ egress: { allow: allowed, nameServers: [dns.address] } });
    const free = await setTraps();
    try {
      const ids: string[] = [];
      for (const host of OWN_HOSTS) {
        ids.push((await registerWebhook(open.call, { url: urlFor(host, free.ports[0]) })).id);
      }
      await fireEvents(open, open.orgId);
      await until(async () => Object.values(free.caught).reduce((sum, count) => sum + count, 0) >= OWN_HOSTS.length);
      expect(Object.keys(free.caught)).toHaveLength(2);
    } finally {
      await open.close();
      await free.close();
    }
  });
});

describe('a name that resolves to a private address', () => {
  it.each(PRIVATE_ADDRESSES)('is refused: %s', async address => {
    const id = await register(urlFor(name));
    say([address]);
    await expectRefusalOfName();
    expect(await fire([id])).toEqual([expect.stringMatching(/^refused_address: /)]);
  });

  it.each([
    [[OUTSIDE, '127.0.0.1']],
    [['127.0.0.1', OUTSIDE]],
    [[OUTSIDE, '::1']],
    [[OUTSIDE, '::ffff:127.0.0.1']],
    [[PUBLIC, '10.0.0.1']],
    [[PUBLIC, '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '169.254.169.254']],
    [[PUBLIC, 'fd00::1']],
  ])('is refused even if one of its addresses is public: %j', async addresses => {
    const id = await register(urlFor(name));
    say(addresses);
    await expectRefusalOfName();
    expect(await fire([id])).toEqual([expect.stringMatching(/^refused_address: /)]);
    expect(arrived()).toEqual([]);
  });

  it.each([
    ['had a public address', [PUBLIC]],
    ['did not exist', 'nxdomain' as const],
    ['had a name without an address', []],
  ])('is not called if it %s when it was registered', async (_what, before) => {
    say(before);
    const id = await register(urlFor(name));
    for (const inside of ['127.0.0.1', '::1']) {
      say([inside]);
      expect(await fire([id])).toEqual([expect.stringMatching(/^refused_address: /)]);
    }
  });

  it('is called only while it resolves to the public address, if its answers alternate', async () => {
    // The endpoint closes each connection, so that each attempt resolves the name again.
    endpoint.behave(answer(200, '', { connection: 'close' }));
    let asked = 0;
    dns.answer((question, type) => {
      if (question !== name) return 'nxdomain';
      return type === 'A' && ++asked % 2 === 1 ? [OUTSIDE] : ['127.0.0.1'];
    });
    const ids: string[] = [];
    for (let webhook = 0; webhook < 20; webhook++) {
      asked = 0;
      ids.push(await register(urlFor(name)));
    }
    const ends = await fire(ids);
    const refused = ends.filter(end => end?.startsWith('refused_address: '));
    const delivered = ends.filter(end => end === '200');
    expect(refused.length + delivered.length).toBe(ids.length);
    expect(refused).not.toEqual([]);
    expect(delivered).not.toEqual([]);
  });
});

describe('a redirect to a private address', () => {
  it('is not followed, whatever its status and spelling', async () => {
    const [port = 0, other = 0] = traps.ports;
    const targets = [
      ...[`https://127.0.0.1:${port}/`, `//127.0.0.1:${port}/`, `https://[::1]:${port}/`, `https://localhost:${port}/`],
      ...[`https://127.0.0.1:${other}/`, `http://127.0.0.1:${other}/`, `https://2130706433:${other}/`],
    ];
    const statuses = [300, 301, 302, 303, 307, 308];
    const redirects = statuses.flatMap(status => targets.map(target => ({ status, target })));
    endpoint.behave(({ path }) => {
      const { status, target } = redirects[Number(path.slice(1))]!;
      return redirect(target, status);
    });
    const ids: string[] = [];
    for (const at of redirects.keys()) ids.push(await register(endpoint.urlFor(OUTSIDE, `/${at}`)));
    expect(await fire(ids)).toEqual(redirects.map(({ status }) => String(status)));
    const latest = await Promise.all(ids.map(latestOf));
    expect(latest.map(({ status }) => status as string)).not.toContain('delivered');
  });
});
