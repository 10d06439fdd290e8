import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '#core';
import { AccessTokens, formFaults, RedactedHttp, SecretFilter, type AdapterContext, type JsonObject } from '#itsm';
import type { ServiceNowSecrets, ServiceNowSettings } from '../../../libs/itsm/adapters/servicenow/connector.js';
import { ServiceNowAdapter } from '../../../libs/itsm/adapters/servicenow/servicenow.adapter.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import { startInstance, type Instance } from './instance.js';

class SteppedClock extends Clock {
  at = Date.parse('2026-11-20T10:00:00Z');
  now(): Date {
    return new Date(this.at);
  }
}

let stage: AdapterStage;
let instance: Instance;
let adapter: ServiceNowAdapter;
let clock: SteppedClock;
beforeAll(async () => {
  stage = await adapterStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  instance = await startInstance({ authority: stage.authority });
  adapter = new ServiceNowAdapter();
  clock = new SteppedClock();
  instance.oauth.now = () => clock.at;
});
afterEach(() => instance.close());

type Context = AdapterContext<ServiceNowSettings, ServiceNowSecrets>;

/** A context that removes secrets from error messages, as in production. */
function contextOf(secrets: ServiceNowSecrets = instance.oauth.client): Context {
  const context = stage.contextOf(adapter, { instance_url: instance.origin }, secrets, clock);
  const http = new RedactedHttp(context.http, new SecretFilter({ ...secrets }));
  return { ...context, http };
}
const create = (context = contextOf()) => createBy(adapter, context, fieldDraft());
/** The headers of all requests except token requests. */
const sent = () =>
  instance.received.filter(({ url }) => url.pathname !== '/oauth_token.do').map(({ headers }) => headers);

describe('an OAuth client', () => {
  it('gets a token with a form request, and the connector sends it with each request', async () => {
    const context = contextOf();
    const draft = fieldDraft();
    const created = await createBy(adapter, context, draft);
    if (created.kind !== 'created') throw new Error(created.message);
    expect(await adapter.findByKey(context, draft.key)).toHaveLength(1);
    expect(await adapter.status(context, created.ref)).toMatchObject({ status: 'open' });
    expect((await adapter.verify(context)).map(({ status }) => status)).toEqual(['passed']);
    expect(instance.oauth.asked).toEqual(['client_credentials']);
    for (const { authorization } of sent()) expect(authorization).toBe(`Bearer ${instance.oauth.token}`);
  });

  it('signs in with the account of the connector, and renews the token without the password', async () => {
    const context = contextOf({ ...instance.oauth.client, ...instance.account });
    expect((await create(context)).kind).toBe('created');
    clock.at += 1_799_000;
    expect((await create(context)).kind).toBe('created');
    expect(instance.oauth.asked).toEqual(['password', 'refresh_token']);
  });

  it('signs in again if the instance no longer knows the refresh token', async () => {
    const context = contextOf({ ...instance.oauth.client, ...instance.account });
    await create(context);
    clock.at += 1_799_000;
    instance.oauth.revoke();
    expect((await create(context)).kind).toBe('created');
    expect(instance.oauth.asked).toEqual(['password', 'refresh_token', 'password']);
  });

  it('uses a token until a minute before it expires', async () => {
    await create();
    clock.at += 1_738_000;
    await create();
    expect(instance.oauth.asked).toHaveLength(1);
    clock.at += 2_000;
    // The token is about to expire, so the next create requests a token again.
    expect((await create()).kind).toBe('created');
    expect(instance.oauth.asked).toHaveLength(2);
  });

  it('replaces a revoked token and creates one ticket', async () => {
    await create();
    const before = instance.oauth.token;
    instance.oauth.revoke();
    expect((await create()).kind).toBe('created');
    expect(instance.oauth.token).not.toBe(before);
    expect(instance.oauth.asked).toHaveLength(2);
    expect(instance.tables.of('incident')).toHaveLength(2);
  });

  it('sends one token request for all concurrent callers, also after a revocation', async () => {
    const all = () => Promise.all(Array.from({ length: 10 }, () => create()));
    expect(new Set((await all()).map(({ kind }) => kind))).toEqual(new Set(['created']));
    expect(instance.oauth.asked).toHaveLength(1);
    instance.oauth.revoke();
    await all();
    expect(instance.oauth.asked).toHaveLength(2);
    expect(instance.tables.of('incident')).toHaveLength(20);
  });

  it('repeats a refused request once and not again', async () => {
    await create();
    const before = sent().length;
    const refused = { status: 401, json: { error: { message: 'User Not Authenticated', detail: null } } };
    instance.interfere(({ url }) =>
      url.includes('/oauth_token.do') ? undefined : { kind: 'answer', answer: refused },
    );
    expect(await create()).toMatchObject({ kind: 'rejected', code: 'auth' });
    expect(sent().length - before).toBe(2);
  });

  it('gets another token if the secrets change', async () => {
    await create();
    expect(await create(contextOf({ ...instance.oauth.client, client_secret: 'a-wrong-secret' }))).toMatchObject({
      ...{ kind: 'rejected', code: 'auth' },
    });
    expect((await create()).kind).toBe('created');
    expect(instance.oauth.asked).toHaveLength(2);
  });
});

describe('an instance that grants no token', () => {
  const denied = { status: 400, json: { error: 'invalid_client', error_description: 'no' } };
  const page = '<!DOCTYPE html><html><body>Hibernating</body></html>';

  it.each([
    ['the grant type is not enabled', undefined, { kind: 'rejected', code: 'auth' }],
    ['the client is unknown (400)', denied, { kind: 'rejected', code: 'auth' }],
    ['the client may not sign in', { status: 403, json: {} }, { kind: 'rejected', code: 'forbidden' }],
    ['the instance hibernates', { status: 200, text: page }, { kind: 'rejected', code: 'hibernating' }],
    [
      'the instance answers 429 with a wait',
      { status: 429, headers: { 'retry-after': '7' } },
      { kind: 'retryable', retryAfterMs: 7_000 },
    ],
    ['the instance fails', { status: 503, text: page }, { kind: 'retryable' }],
    [
      'the answer is truncated',
      { status: 200, text: '{"acc', headers: { 'content-type': 'application/json' } },
      { kind: 'retryable' },
    ],
    ['the answer has no token', { status: 200, json: { expires_in: 1_799 } }, { kind: 'retryable' }],
  ])('causes a definite failure of a create, when %s', async (_why, trouble, outcome) => {
    instance.oauth.allowsClientCredentials = false;
    instance.oauth.trouble = trouble;
    expect(await create()).toMatchObject(outcome);
    await expect(adapter.findByKey(contextOf(), fieldDraft().key)).rejects.toThrow(/^[A-Z].*\.$/);
    expect((await adapter.verify(contextOf())).map(({ status }) => status)).toEqual(['failed']);
    expect(sent()).toEqual([]);
    // The next create succeeds, so no part of the refusal was stored.
    instance.oauth.allowsClientCredentials = true;
    instance.oauth.trouble = undefined;
    expect((await create()).kind).toBe('created');
  });

  it('causes a definite failure of a create, too, if its answer is lost', async () => {
    instance.interfere(({ url }) => (url.includes('/oauth_token.do') ? { kind: 'done, but cut' } : undefined));
    expect(await create()).toMatchObject({ kind: 'retryable' });
    expect(instance.tables.of('incident')).toEqual([]);
  });
});

describe('a token', () => {
  it.each([200, 201, 400, 403, 500])('is removed from every output, if an answer of %i repeats it', async status => {
    const context = contextOf();
    await create(context);
    const { token } = instance.oauth;
    const text = `Bearer ${token} ${encodeURIComponent(token)} ${Buffer.from(`x${token}`).toString('base64')}`;
    const result = { sys_id: '1', number: text };
    const json = { error: { message: text, detail: text }, ...(status < 300 && { result }) };
    instance.interfere(() => ({ kind: 'answer', answer: { status, json, headers: { 'x-echo': text } } }));
    const shown = [
      await create(context),
      await adapter.verify(context),
      await adapter.findByKey(context, fieldDraft().key).catch(String),
    ];
    expect(JSON.stringify(shown)).not.toContain(token.slice(0, 12));
  });
});

describe('the form of a token request', () => {
  it.each([200, 400, 403])('has secrets that are removed from the answer of %i that repeats them', async status => {
    const { client_secret } = instance.oauth.client;
    const { password } = instance.account;
    const text = `<!DOCTYPE html><title>${client_secret} ${encodeURIComponent(password)}</title>`;
    const headers = { 'content-type': 'text/html', 'x-echo': client_secret };
    instance.oauth.trouble = { status, text, headers };
    // This client does not redact answers, so only the token client removes the secrets.
    const { http } = stage.contextOf(adapter, { instance_url: instance.origin }, instance.oauth.client, clock);
    const form = { grant_type: 'password', client_secret, password };
    const grant = { url: `${instance.origin}/oauth_token.do`, form };
    const client = new AccessTokens().http({ http, clock }, grant);
    const answer = await client.request({ method: 'GET', url: `${instance.origin}/api/now/table/incident` });
    const shown = JSON.stringify([answer.headers, answer.body.toString('utf8')]);
    expect([client_secret, password, encodeURIComponent(password)].filter(secret => shown.includes(secret))).toEqual(
      [],
    );
    expect(sent()).toEqual([]);
  });
});

describe('the secrets of a connector', () => {
  const faults = (secrets: JsonObject) => formFaults(adapter.secretsSchema, secrets, 'secrets');
  const required = (...names: string[]) => names.map(name => ({ field: `secrets.${name}`, message: 'is required' }));

  it('are an account, a client, or both', () => {
    const [account, client] = [
      { username: 'u', password: 'p' },
      { client_id: 'c', client_secret: 's' },
    ];
    for (const secrets of [account, client, { ...account, ...client }]) expect(faults(secrets)).toEqual([]);
  });

  it.each([
    [{}, ['username', 'password']],
    [{ username: 'u' }, ['password']],
    [{ client_id: 'c' }, ['client_secret']],
    [{ client_secret: 's' }, ['client_id']],
    [{ client_id: 'c', client_secret: 's', username: 'u' }, ['password']],
  ])('of %j are incomplete', (secrets, names) => {
    const found = new Set(faults(secrets).map(fault => JSON.stringify(fault)));
    expect(found).toEqual(new Set(required(...names).map(fault => JSON.stringify(fault))));
  });
});
