import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AdapterHttpError } from '#itsm';
import { makeAuthority, trustInThisProcess, type Authority } from '../../../test/support/certificates.js';
import { ScriptedAdapterHttp, serveDouble, type PlatformAnswer } from '../index.js';

describe('serveDouble', () => {
  let authority: Authority;
  let distrust: () => void;
  let close: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
  });
  afterEach(async () => close?.());
  afterAll(() => distrust?.());

  async function served(answer: () => PlatformAnswer): Promise<{ url: string; double: ScriptedAdapterHttp }> {
    const double = new ScriptedAdapterHttp(['https://acme.example'], answer);
    const server = await serveDouble(double, { origin: 'https://acme.example', ...(await authority.issue()) });
    ({ close } = server);
    return { url: server.url, double };
  }

  it('passes requests for its origin to the double, and sends the answer', async () => {
    const { url, double } = await served(() => ({ status: 201, headers: { 'x-limit': '5' }, json: { id: 1 } }));
    const response = await fetch(`${url}/api/tickets?a=%20b`, {
      method: 'POST',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body: '{"title":"é"}',
    });
    expect([response.status, response.headers.get('x-limit'), await response.json()]).toEqual([201, '5', { id: 1 }]);
    expect(double.requests).toEqual([
      expect.objectContaining({
        method: 'POST',
        url: 'https://acme.example/api/tickets?a=%20b',
        headers: expect.objectContaining({ authorization: 'Bearer t' }),
        json: { title: 'é' },
      }),
    ]);
  });

  it('reads forms, and requests without a body', async () => {
    const { url, double } = await served(() => ({ status: 204 }));
    await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'x y' }) });
    await fetch(`${url}/api/me`);
    expect(double.requests.map(({ json, form }) => ({ json, form }))).toEqual([
      { json: undefined, form: { grant_type: 'x y' } },
      { json: undefined, form: undefined },
    ]);
  });

  it('ends the connection without an answer if the double throws, and answers the next request', async () => {
    let fails = true;
    const { url } = await served(() => {
      if (fails) throw new AdapterHttpError('sent', 'No answer.');
      return { status: 200 };
    });
    await expect(fetch(`${url}/api/me`)).rejects.toThrow('fetch failed');
    fails = false;
    expect((await fetch(`${url}/api/me`)).status).toBe(200);
  });

  it('refuses methods that adapters do not send', async () => {
    const { url, double } = await served(() => ({ status: 200 }));
    expect((await fetch(`${url}/api/me`, { method: 'DELETE' })).status).toBe(405);
    expect(double.requests).toEqual([]);
  });

  it('rejects if the port is taken', async () => {
    const { url, double } = await served(() => ({ status: 200 }));
    const taken = { origin: 'https://acme.example', ...(await authority.issue()), port: Number(new URL(url).port) };
    await expect(serveDouble(double, taken)).rejects.toThrow('EADDRINUSE');
  });
});
