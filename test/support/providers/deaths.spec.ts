import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { makeAuthority, trustInThisProcess } from '../certificates.js';
import { collect } from './collect.js';
import { startProvider, type Provider } from './provider.js';
import type { Death } from './script.js';

const messages = [{ role: 'user' as const, content: 'What does it cost?' }];
const request = { model: 'gpt-4o-mini', messages };

/** The errors that clients throw for a broken connection and for an error inside a stream. */
const BROKEN = /terminated|connection error|invalid response body|had an error/i;

let providers: Record<'http' | 'https', Provider>;
let distrust: () => void;

beforeAll(async () => {
  const authority = await makeAuthority();
  distrust = trustInThisProcess(authority.caPem);
  providers = {
    http: await startProvider({ kind: 'openai' }),
    https: await startProvider({ kind: 'openai', authority }),
  };
});
beforeEach(async () => {
  for (const provider of Object.values(providers)) {
    await provider.idle();
    provider.clear();
  }
});
afterAll(async () => {
  distrust();
  await Promise.all(Object.values(providers).map(provider => provider.close()));
});

describe.each(['http', 'https'] as const)('A provider that fails during an answer over %s', scheme => {
  const make = (): [Provider, OpenAI] => {
    const provider = providers[scheme];
    return [provider, new OpenAI({ apiKey: provider.key, baseURL: `${provider.url}/v1`, maxRetries: 0 })];
  };

  it.each<Death>(['reset', 'close', 'error'])('makes the stream fail after the tokens already sent: %s', async how => {
    const [provider, client] = make();
    provider.behave({ death: { how, at: 4 }, midFrame: how !== 'error' });
    const stream = await client.chat.completions.create({ ...request, stream: true });
    const texts: string[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content ?? '');
    };
    await expect(read()).rejects.toThrow(BROKEN);
    expect(texts).toHaveLength(1 + 4);
    await provider.idle();
    expect(provider.served).toMatchObject([{ outcome: 'died', outputTokens: 4, sentTokens: 4, usageSent: false }]);
    await provider.until(() => provider.openSockets === 0 || how === 'error');
  });

  it('ends a stream normally without its final event', async () => {
    const [provider, client] = make();
    provider.behave({ death: { how: 'end', at: 12 } });
    const chunks = await collect(await client.chat.completions.create({ ...request, stream: true }));
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBeNull();
    await provider.idle();
    expect(provider.served).toMatchObject([{ outcome: 'died', outputTokens: 12 }]);
  });

  it.each<Death>(['reset', 'close'])('truncates a plain answer: %s', async how => {
    const [provider, client] = make();
    for (const at of ['request', 'headers', 1] as const) {
      provider.next({ death: { how, at } });
      await expect(client.chat.completions.create(request)).rejects.toThrow(BROKEN);
    }
    await provider.idle();
    expect(provider.served.map(({ outcome, promptTokens }) => [outcome, promptTokens > 0])).toEqual([
      ['died', false],
      ['died', true],
      ['died', true],
    ]);
  });

  it.each(['request', 'headers', 3] as const)('hangs until the client disconnects, at %s', async at => {
    const [provider, client] = make();
    provider.behave({ death: { how: 'hang', at } });
    const abort = new AbortController();
    const call = client.chat.completions
      .create({ ...request, stream: true }, { signal: abort.signal })
      .then(stream => collect(stream));
    await provider.until(() => provider.served[0]?.sentTokens === (at === 3 ? 3 : 0) && provider.openCalls === 1);
    abort.abort();
    await call.catch(() => undefined);
    await provider.idle();
    expect(provider.served).toMatchObject([{ outcome: 'cut', outputTokens: at === 3 ? 3 : 0 }]);
    await provider.until(() => provider.openSockets === 0);
  });

  it('closes a connection that it had promised to keep open', async () => {
    const [provider, client] = make();
    provider.next({ dropKeepAlive: true });
    await client.chat.completions.create(request);
    await provider.until(() => provider.openSockets === 0);
    const before = provider.connections;
    await client.chat.completions.create(request);
    expect(provider.connections).toBe(before + 1);
    await provider.idle();
    expect(provider.totals).toMatchObject({ finished: 2, cut: 0, died: 0 });
  });

  it('compresses answers if the client accepts compression', async () => {
    const [provider, client] = make();
    provider.behave({ encoding: 'gzip', delayMs: 0 });
    const { response } = await client.chat.completions.create(request).withResponse();
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const chunks = await collect(await client.chat.completions.create({ ...request, stream: true }));
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    await provider.until(() => provider.totals.finished === 2);
  });

  it('refuses connections, and accepts them again at the same address', async () => {
    const [provider, client] = make();
    await provider.refuse();
    await expect(client.chat.completions.create(request)).rejects.toThrow('Connection error');
    await provider.accept();
    await client.chat.completions.create(request);
    await provider.idle();
    expect(provider.totals).toMatchObject({ requests: 1, finished: 1 });
  });
});
