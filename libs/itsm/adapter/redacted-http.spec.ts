import { describe, expect, it } from '@jest/globals';
import { ScriptedAdapterHttp, type PlatformAnswer } from 'nest-llm-governance/testing';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import type { AdapterResponse } from './adapter-http.js';
import { objectIn } from './platform-answer.js';
import { RedactedHttp } from './redacted-http.js';

const ORIGIN = 'https://acme.example';
const SECRETS = { api_token: 'token-of-acme', routing_key: 'key-of-the-route' };

class BodyKeys extends AcmeDeskAdapter {
  override readonly bodySecrets = ['routing_key'];
}

class Candid extends AcmeDeskAdapter {
  override isSuccess(answer: AdapterResponse): boolean {
    return objectIn(answer)?.['errors'] === undefined;
  }
}

class Stumbling extends AcmeDeskAdapter {
  override isSuccess(answer: AdapterResponse): boolean {
    return Object.keys((answer.json() as { errors: object }).errors).length === 0;
  }
}

async function seen(Adapter: new () => AcmeDeskAdapter, answer: PlatformAnswer): Promise<AdapterResponse> {
  const http = RedactedHttp.of(new Adapter(), new ScriptedAdapterHttp([ORIGIN], () => answer), SECRETS);
  return http.request({ method: 'GET', url: ORIGIN });
}

const ECHO = { received: { routing_key: SECRETS.routing_key, by: SECRETS.api_token } };

describe('the HTTP client of an adapter', () => {
  it('does not change a successful answer, so that names and keys stay exact', async () => {
    expect((await seen(AcmeDeskAdapter, { status: 201, json: ECHO })).json()).toEqual(ECHO);
  });

  it('hides every secret in an answer with a status outside of 200–299', async () => {
    const answer = await seen(AcmeDeskAdapter, { status: 400, json: ECHO });
    expect(answer.json()).toEqual({ received: { routing_key: '[hidden]', by: '[hidden]' } });
    expect(answer.body.toString()).not.toMatch(/-of-/);
  });

  it('hides secrets that are sent in bodies, also in a successful answer, and no others', async () => {
    const headers = { location: `/events/${SECRETS.routing_key}` };
    const answer = await seen(BodyKeys, { status: 202, json: ECHO, headers });
    expect(answer.json()).toEqual({ received: { routing_key: '[hidden]', by: SECRETS.api_token } });
    expect(answer.body.toString()).not.toContain(SECRETS.routing_key);
    expect(answer.headers['location']).toBe('/events/[hidden]');
    const plain = await seen(BodyKeys, { status: 202, text: `Got ${SECRETS.routing_key}` });
    expect(plain.body.toString()).toBe('Got [hidden]');
  });

  it('hides every secret in a successful answer that the adapter treats as a failure', async () => {
    const answer = await seen(Candid, { status: 200, json: { errors: ['x'], ...ECHO } });
    expect(answer.json()).toEqual({ errors: ['x'], received: { routing_key: '[hidden]', by: '[hidden]' } });
    expect((await seen(Candid, { status: 200, json: ECHO })).json()).toEqual(ECHO);
  });

  it('hides every secret if the adapter throws while reading an answer', async () => {
    const answer = await seen(Stumbling, { status: 200, json: ECHO });
    expect(answer.json()).toEqual({ received: { routing_key: '[hidden]', by: '[hidden]' } });
  });
});
