import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EgressClient } from '#egress';
import { makeAuthority, trustInThisProcess } from '../../../test/support/certificates.js';
import { answer, hugeBody, redirect, slow, type BehaviourName } from '../../../test/support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../../test/support/https-endpoint.js';
import { AdapterHttpError, type AdapterRequest } from '../adapter/adapter-http.js';
import { EgressAdapterHttp } from './egress-adapter-http.js';

describe('EgressAdapterHttp', () => {
  let distrust: () => void;
  let endpoint: Endpoint;
  let egress: EgressClient;
  let http: EgressAdapterHttp;

  beforeAll(async () => {
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    endpoint = await startEndpoint({ authority });
    egress = new EgressClient({ allow: ['127.0.0.0/8'] });
    http = new EgressAdapterHttp(egress, [new URL(endpoint.url).origin]);
  });
  afterEach(() => endpoint.behave('ok'));
  afterAll(async () => {
    await egress.close();
    await endpoint.close();
    distrust();
  });

  const ask = (more: Partial<AdapterRequest> = {}) => http.request({ method: 'GET', url: endpoint.url, ...more });

  async function phaseOf(more: Partial<AdapterRequest> = {}, by = http): Promise<string> {
    const error = await by
      .request({ method: 'POST', url: endpoint.url, json: {}, timeoutMs: 300, ...more })
      .catch(e => e);
    expect(error).toBeInstanceOf(AdapterHttpError);
    return (error as AdapterHttpError).phase;
  }

  it("sends JSON with its type, with a user agent, and with the adapter's headers", async () => {
    await ask({ method: 'POST', json: { a: 'é' }, headers: { Authorization: 'Basic eA==', 'User-Agent': 'acme' } });
    const sent = endpoint.requests.at(-1);
    expect(sent?.body.toString()).toBe('{"a":"é"}');
    const expected = { 'content-type': 'application/json', authorization: 'Basic eA==', 'user-agent': 'acme' };
    expect(sent?.headers).toMatchObject(expected);
    await ask();
    expect(endpoint.requests.at(-1)?.headers).toMatchObject({ 'user-agent': 'nest-llm-governance' });
    expect(endpoint.requests.at(-1)?.headers).not.toHaveProperty('content-type');
  });

  it('sends a form with its type, and any JSON', async () => {
    await ask({ method: 'POST', form: { a: 'é &=+', b: '' } });
    const sent = endpoint.requests.at(-1);
    expect(sent?.body.toString()).toBe('a=%C3%A9+%26%3D%2B&b=');
    expect(sent?.headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' });
    await ask({ method: 'PATCH', json: [{ op: 'add' }], headers: { 'Content-Type': 'application/json-patch+json' } });
    expect(endpoint.requests.at(-1)?.body.toString()).toBe('[{"op":"add"}]');
    expect(endpoint.requests.at(-1)?.headers).toMatchObject({ 'content-type': 'application/json-patch+json' });
  });

  it('returns any answer, with its JSON if it is JSON, whatever its content type', async () => {
    endpoint.behave(answer(418, '{"a":[1]}', { 'content-type': 'text/html', 'X-Two': 'b' }));
    const response = await ask();
    expect(response).toMatchObject({ status: 418, headers: { 'x-two': 'b' } });
    expect(response.json()).toEqual({ a: [1] });
    endpoint.behave(answer(200, '<html>', { 'content-type': 'application/json' }));
    expect((await ask()).json()).toBeUndefined();
  });

  it('follows no redirect', async () => {
    const before = endpoint.requestCount;
    endpoint.behave(redirect(`${endpoint.url}elsewhere`));
    expect(await ask()).toMatchObject({ status: 302, headers: { location: `${endpoint.url}elsewhere` } });
    expect(endpoint.requestCount).toBe(before + 1);
  });

  it.each([
    ['another port', (port: number) => `https://127.0.0.1:${port + 1}/`],
    ['another name for the same host', (port: number) => `https://localhost:${port}/`],
    ['an unencrypted URL', (port: number) => `http://127.0.0.1:${port}/`],
    ['a host name that only begins like an allowed origin', (port: number) => `https://127.0.0.1:${port}.evil.test/`],
    ['an allowed origin as user name', (port: number) => `https://127.0.0.1:${port}@evil.test/`],
    ['an invalid URL', () => 'incident'],
  ])('refuses %s as not sent', async (_what, urlOf) => {
    const before = endpoint.connections;
    expect(await phaseOf({ url: urlOf(endpoint.port) })).toBe('not_sent');
    expect(endpoint.connections).toBe(before);
  });

  it('reports a call to a forbidden address as not sent', async () => {
    const strict = new EgressClient({});
    expect(await phaseOf({}, new EgressAdapterHttp(strict, [new URL(endpoint.url).origin]))).toBe('not_sent');
    await strict.close();
  });

  it('reports a refused or untrusted connection as not sent', async () => {
    const gone = 'https://127.0.0.1:1';
    expect(await phaseOf({ url: gone }, new EgressAdapterHttp(egress, [gone]))).toBe('not_sent');
    await endpoint.present('expired');
    expect(await phaseOf()).toBe('not_sent');
    await endpoint.present('valid');
  });

  it.each<BehaviourName>([
    'hang',
    'reset',
    'close',
    'garbage',
    'drip headers',
    'reset after headers',
    'close after headers',
    'drip body',
  ])('reports an unknown outcome for a request with %s', async behaviour => {
    endpoint.behave(behaviour);
    expect(await phaseOf()).toBe('sent');
  });

  it('accepts answers of at most 1 MiB', async () => {
    endpoint.behave(hugeBody(1024 * 1024));
    expect((await ask()).body).toHaveLength(1024 * 1024);
    endpoint.behave(hugeBody(1024 * 1024 + 1));
    expect(await phaseOf({ timeoutMs: 5_000 })).toBe('sent');
  });

  it('waits at most the allowed time, whatever the adapter asks for', async () => {
    endpoint.behave(slow(2_000));
    const hasty = new EgressAdapterHttp(egress, [new URL(endpoint.url).origin], 200);
    expect(await phaseOf({ timeoutMs: 60_000 }, hasty)).toBe('sent');
  });
});
