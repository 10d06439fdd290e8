import { randomUUID } from 'node:crypto';
import type { CanaryStage } from './stage.js';
import type { Traffic } from './traffic.js';

/** Fields of bodies that contain secrets, with their routes. */
const SECRET_FIELDS: readonly [method: string, path: string, body: (secret: unknown) => object][] = [
  ['POST', '/v1/itsm/connectors', secret => ({ ...CONNECTOR, secrets: { username: secret, password: secret } })],
  ['POST', '/v1/itsm/connectors', secret => ({ ...CONNECTOR, secrets: secret })],
  ['POST', '/v1/itsm/connectors', secret => ({ ...CONNECTOR, secrets: { password: secret, other: secret } })],
  ['POST', '/v1/itsm/connectors', secret => ({ ...CONNECTOR, kind: 'jira', secrets: { api_token: secret } })],
  ['POST', '/v1/chat/workspaces', secret => ({ platform: 'slack', workspace: 'T0BAD', signing_secret: secret })],
  [
    'POST',
    '/v1/chat/workspaces',
    secret => ({ platform: 'slack', workspace: 'T0BAD', signing_secret: 'x'.repeat(32), notification_secret: secret }),
  ],
  ['POST', '/v1/devices/enroll', secret => ({ token: secret, csr: 'none' })],
  ['POST', '/v1/devices/enroll', secret => ({ token: secret, csr: secret })],
  ['POST', `/v1/devices/${randomUUID()}/renew`, secret => ({ csr: secret, proof: secret })],
  ['POST', '/v1/webhooks', secret => ({ url: 'https://127.0.0.1:9/', signing_secret: secret })],
  ['POST', '/v1/tokens', secret => ({ name: 'Given', role: 'agent', token: secret })],
];
const CONNECTOR = { kind: 'servicenow', name: 'Bad', settings: { instance_url: 'https://127.0.0.1:9' } };

/** Sends secrets in wrong places, in every way that a client may. */
export async function sendMisplacedSecrets(stage: CanaryStage): Promise<void> {
  const { traffic, canaries } = stage;
  const typed = canaries.make('secret in a wrong place', 'gov_');
  for (const [method, path, body] of SECRET_FIELDS) {
    const wrongly = [typed, [typed], { value: typed }, [[typed]], `${typed}\0`, typed.repeat(500)];
    for (const value of wrongly) await traffic.send(method, path, { body: body(value) });
    // The texts break off or become invalid right after the secret, because a parser may quote the text before the
    // error.
    const text = JSON.stringify(body(typed));
    for (const cut of [text.slice(0, -1), `${text}"`, text.replace(typed, `${typed}\n`)]) {
      await traffic.send(method, path, { body: cut });
    }
    await traffic.send(method, path, { body: text, type: 'text/plain' });
    await traffic.send(method, path, { body: text, type: `application/${typed}` });
  }
  await runWrongBearers(traffic, typed);
  const urls = ['https://user:SECRET@127.0.0.1:9/', 'http://127.0.0.1:9/?key=SECRET', 'https://SECRET@[::1', 'SECRET'];
  for (const url of urls.map(text => text.replace('SECRET', typed))) {
    await traffic.send('POST', '/v1/webhooks', { body: { url } });
    await traffic.send('POST', '/v1/itsm/connectors', { body: { ...CONNECTOR, settings: { instance_url: url } } });
  }
  for (const { method, path } of traffic.routes) {
    const named = path.replaceAll(/\{\w+\}/g, encodeURIComponent(typed));
    // The invalid query and body make a route refuse the request even if it accepts any text as an id.
    const query = `limit=${typed}&cursor=${typed}&access_token=${typed}`;
    await traffic.send(method, `${named}?${query}`, method === 'GET' ? {} : { body: `{"${typed}` });
  }
}

/** Calls every route with credentials that are almost valid, and with secrets of another kind as credentials. */
async function runWrongBearers(traffic: Traffic, typed: string): Promise<void> {
  for (const { method, path } of traffic.routes) {
    const named = path.replaceAll(/\{\w+\}/g, randomUUID());
    for (const as of [typed, `${typed}.${typed}.${typed}`]) await traffic.send(method, named, { as });
    for (const authorization of [`Basic ${btoa(`admin:${typed}`)}`, `Bearer ${typed} ${typed}`, `Token ${typed}`]) {
      await traffic.send(method, named, { as: null, headers: { authorization, 'x-api-key': typed, cookie: typed } });
    }
  }
}

/** Sends all requests while the database is unreachable, and again when the database is reachable. */
export async function runOutage(stage: CanaryStage): Promise<void> {
  const { traffic, proxy } = stage;
  await proxy.refuse();
  proxy.cut();
  try {
    // Waits until readiness reports the outage, because it caches the state of the database for a second.
    for (let looks = 0; looks < 100 && (await traffic.send('GET', '/health/ready')).status !== 503; looks++) {
      await new Promise(done => setTimeout(done, 100));
    }
    for (const [method, path, body] of SECRET_FIELDS) {
      await traffic.send(method, path, { body: body(stage.canaries.make('secret in an outage')) });
    }
    for (const { method, path } of traffic.routes.filter(route => !route.path.includes('{'))) {
      await traffic.send(method, path);
      await traffic.send(method, path, { as: stage.canaries.make('token in an outage', 'gov_') });
    }
  } finally {
    await proxy.accept();
  }
}

/** Runs commands with invalid settings and with valid ones. */
export async function runCommands(stage: CanaryStage): Promise<void> {
  const { canaries, cli } = stage;
  const password = canaries.make('wrong database password');
  const elsewhere = `postgres://governance_login:${password}@127.0.0.1:${stage.proxy.port}/postgres`;
  await cli(['doctor'], { DATABASE_URL: elsewhere });
  await cli(['migrate'], { GOVERNANCE_MIGRATION_URL: `postgres://x:${password}@127.0.0.1:1/none` });
  await cli(['doctor'], { DATABASE_URL: `postgres://x:${password}@[broken` });
  await cli(['doctor'], { GOVERNANCE_KEYS: `k1:${canaries.make('key of a wrong length')}` });
  await cli(['doctor'], { GOVERNANCE_KEYS: canaries.make('key without an id') });
  await cli(['start'], { GOVERNANCE_ADMIN_TOKEN: canaries.make('short admin token', '', 8), PORT: '0' });
  await cli(['doctor'], { GOVERNANCE_IDENTITY_PROVIDERS: `[{"secret":"${canaries.make('secret of a provider')}"` });
  await makeTokens(stage);
  for (const command of [['doctor'], ['audit', 'verify'], ['rewrap'], ['requeue'], ['migrate']]) {
    await cli(command);
    await cli([...command, '--json']);
  }
}

/** Uses the tokens that commands and the first boot show once, both correctly and in a wrong place. */
async function makeTokens({ orgId, traffic, firstToken, makeToken }: CanaryStage): Promise<void> {
  const made = [
    firstToken,
    await makeToken('token of the command line', ['token', 'create', '--org', orgId, '--role', 'auditor']),
    await makeToken('first token of another organization', ['org', 'create', '--name', 'Second']),
  ];
  for (const as of made) {
    await traffic.do('GET', '/v1/policies', undefined, { as });
    await traffic.send('POST', '/v1/policies', { as, body: { name: 'Wrong', action: as } });
  }
}
