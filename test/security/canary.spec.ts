import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Canaries } from './canary/canaries.js';
import { runJourneys } from './canary/journeys.js';
import { runCommands, sendMisplacedSecrets, runOutage } from './canary/misplaced-secrets.js';
import { filledTables, sightings, sightingsInTables } from './canary/sinks.js';
import { setCanaryStage, type CanaryStage } from './canary/stage.js';

/** Operations that create a secret, and whose successful answer shows it once. */
const SHOWING = new Set([
  'createToken',
  'createSignInLink',
  'registerWebhook',
  'rotateWebhookSecret',
  'createDeviceEnrollment',
]);

describe('a secret of any kind', () => {
  let stage: CanaryStage;
  let metrics: string;

  beforeAll(async () => {
    stage = await setCanaryStage();
    await runJourneys(stage);
    await sendMisplacedSecrets(stage);
    await runOutage(stage);
    await runCommands(stage);
    metrics = await (await fetch(`${stage.app.url}/metrics`)).text();
  }, 600_000);

  afterAll(() => stage?.close(), 60_000);

  it('has been sent to every operation, once with a success and once with a refusal', () => {
    const { exchanges, routes } = stage.traffic;
    const idsWith = (from: number, to: number): Set<string> =>
      new Set(exchanges.filter(({ status }) => status >= from && status < to).map(({ operationId }) => operationId));
    const [succeeded, refused] = [idsWith(200, 300), idsWith(400, 600)];
    const ids = routes.map(({ operation }) => operation.operationId ?? '');
    expect(ids.filter(id => !succeeded.has(id))).toEqual([]);
    // The app answered 503 while the database was down, so this situation was covered.
    expect(exchanges.filter(({ status }) => status === 503).length).toBeGreaterThan(20);
    // Only the liveness probe is never refused: it needs no credential and reads no parameters.
    expect(ids.filter(id => !refused.has(id)).toSorted()).toEqual(['getLiveness']);
  });

  it('is only in the answer of the operation that creates it', () => {
    const leaks = stage.traffic.exchanges
      .filter(({ operationId, status }) => status >= 300 || !SHOWING.has(operationId))
      .flatMap(({ operationId, status, text }) =>
        sightings(text, stage.canaries).map(found => `${operationId} ${status}: ${found}`),
      );
    expect([...new Set(leaks)]).toEqual([]);
  });

  it('is in no answer that lacks the headers that protect browsers', () => {
    const wanted = [
      '["x-content-type-options","nosniff"]',
      '["strict-transport-security","max-age=31536000; includeSubDomains"]',
      '["referrer-policy","no-referrer"]',
      "frame-ancestors 'self'",
    ];
    const bare = stage.traffic.exchanges.filter(({ text }) => wanted.some(header => !text.includes(header)));
    expect(bare.map(({ operationId, status }) => `${operationId} ${status}`)).toEqual([]);
  });

  it('is in no log of the app, its commands or PostgreSQL, at the lowest log level', () => {
    // This message proves that the lowest level was on. By default, the app writes only warnings and errors.
    expect(stage.app.output()).toContain('GovernanceModule dependencies initialized');
    expect(sightings(stage.app.output(), stage.canaries)).toEqual([]);
    expect(stage.logs()).toContain('database system is ready to accept connections');
    expect(stage.logs()).toContain('GOVERNANCE_IDENTITY_PROVIDERS must be JSON, and cannot be read as JSON');
    expect(sightings(stage.logs(), stage.canaries)).toEqual([]);
  });

  it('is in no metric', () => {
    expect(metrics).toContain('http_server_request_duration');
    expect(sightings(metrics, stage.canaries)).toEqual([]);
  });

  it('is in no column of any table', async () => {
    expect(await filledTables(stage.databaseUrl)).toEqual(
      expect.arrayContaining(['governance.secrets', 'governance.audit_log', 'governance.tickets']),
    );
    expect(await sightingsInTables(stage.databaseUrl, stage.canaries)).toEqual([]);
  });

  it('is in no request to a receiver except the authorization for its own platform', () => {
    const { receiver, serviceNow, jira, canaries } = stage;
    const isCall = ({ path }: { path: string }): boolean => path.startsWith('/v1/chat/');
    const calls = receiver.requests.filter(isCall);
    const notices = receiver.requests.filter(request => !isCall(request));
    const sent = notices.map(({ path, headers, body }) => path + JSON.stringify(headers) + body.toString());
    const asked = [...serviceNow.received, ...jira.received, ...calls].map(
      ({ path, headers, body }) => path + JSON.stringify({ ...headers, authorization: '' }) + body.toString(),
    );
    expect(sent.length).toBeGreaterThan(5);
    expect(asked.length).toBeGreaterThan(20);
    expect(sightings([...sent, ...asked].join('\n'), canaries)).toEqual([]);
    const own = (requests: readonly { headers: IncomingHttpHeaders }[]): string[] =>
      sightings(requests.map(({ headers }) => headers.authorization).join('\n'), canaries).map(found =>
        found.split(' ').slice(0, -1).join(' '),
      );
    expect(new Set(own(serviceNow.received))).toEqual(new Set(['password of ServiceNow', 'user name of ServiceNow']));
    expect(new Set(own(jira.received))).toEqual(new Set(['token of Jira', 'account of Jira']));
    expect(new Set(own(calls))).toEqual(new Set(['key of a provider']));
  });
});

describe('the search for secrets', () => {
  it('finds a secret in every encoding', () => {
    const canaries = new Canaries();
    const secret = canaries.make('password', 'ä"ö/ ');
    const bytes = Buffer.from(secret);
    const spelled = [
      ...[secret, JSON.stringify({ secret }), encodeURIComponent(secret), bytes.toString('hex')],
      ...['', 'a', 'ab', 'abc'].map(user => Buffer.from(`${user}:${secret}`).toString('base64')),
      ...['', 'a', 'ab', 'abc'].map(user => Buffer.from(`${user}:${secret}!`).toString('base64url')),
      new URLSearchParams({ secret }).toString(),
    ];
    expect(spelled.filter(text => canaries.in(`before ${text} after`).length === 0)).toEqual([]);
    expect(canaries.in(secret.slice(0, -1))).toEqual([]);
    expect(canaries.in('-----BEGIN PRIVATE KEY-----')).toEqual([{ kind: 'private key', spelling: 'PEM' }]);
  });

  it('finds a secret that the app logs, and one in a column of text or bytes', async () => {
    const stage = await setCanaryStage(['leak.mjs']);
    try {
      await stage.traffic.do('GET', '/v1/policies');
      expect(sightings(stage.app.output(), stage.canaries)).toEqual([expect.stringMatching(/^admin token \(base64/)]);
      const secret = stage.canaries.make('planted', '', 16);
      await stage.asOwner('update governance.organizations set name = $1', [`Name ${secret}`]);
      await stage.asOwner(
        'update governance.access_tokens set token_hash = $1 where id = (select min(id::text)::uuid from governance.access_tokens)',
        [Buffer.from(secret)],
      );
      expect(await sightingsInTables(stage.databaseUrl, stage.canaries)).toEqual([
        'governance.access_tokens.token_hash: planted (hex)',
        'governance.organizations.name: planted (plain)',
      ]);
    } finally {
      await stage.close();
    }
  });
});
