import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, embed, embedMany, RetryError } from 'ai';
import OpenAI, { APIError } from 'openai';
import { governedFetch } from 'nest-llm-governance/openai';
import type { Script } from '../../support/providers/script.js';
import { expectBooksToAgree } from './books.support.js';
import { PROMPT, WAYS, type Access } from './driver.support.js';
import { accessTo, REFUSED } from './matrix.support.js';
import { openStage, type Department, type Stage } from './stage.support.js';

const MODEL = 'text-embedding-3-small';
/** The estimated tokens of {@link PROMPT}, which count if the provider has not reported any. */
const PROMPT_TOKENS = 10;

/** An SDK for the embeddings endpoint. Each method makes one call and returns the size of each vector. */
interface Embedder {
  readonly name: string;
  one(access: Access, signal?: AbortSignal): Promise<number[]>;
  many(access: Access, texts: string[]): Promise<number[]>;
  failureOf(error: unknown): { status: number | undefined; code?: unknown };
}

function fetchOf({ inProcess }: Access): { fetch?: typeof fetch } {
  return inProcess
    ? { fetch: governedFetch(inProcess.calls, () => ({ orgId: inProcess.orgId, user_id: inProcess.user_id })) }
    : {};
}

async function create(access: Access, input: string | string[], signal?: AbortSignal): Promise<number[]> {
  const { root, apiKey, maxRetries } = access;
  const client = new OpenAI({ apiKey, maxRetries, baseURL: `${root}/v1`, ...fetchOf(access) });
  const { data } = await client.embeddings.create({ model: MODEL, input }, { signal });
  return data.map(({ embedding }) => embedding.length);
}

const openai: Embedder = {
  name: 'Embeddings of openai',
  one: (access, signal) => create(access, PROMPT, signal),
  many: create,
  failureOf: error => (error instanceof APIError ? { status: error.status, code: error.code } : { status: undefined }),
};

function modelOf(access: Access) {
  const { root, apiKey } = access;
  return createOpenAI({ baseURL: `${root}/v1`, apiKey, ...fetchOf(access) }).embedding(MODEL);
}

const ai: Embedder = {
  name: 'Embeddings of ai with @ai-sdk/openai',
  async one(access, signal) {
    const { maxRetries } = access;
    const { embedding } = await embed({
      ...{ model: modelOf(access), value: PROMPT, maxRetries },
      ...(signal && { abortSignal: signal }),
    });
    return [embedding.length];
  },
  async many(access, values) {
    const { embeddings } = await embedMany({ model: modelOf(access), values, maxRetries: access.maxRetries });
    return embeddings.map(({ length }) => length);
  },
  failureOf(error) {
    const cause = RetryError.isInstance(error) ? error.lastError : error;
    if (!APICallError.isInstance(cause)) return { status: undefined };
    const { error: body } = JSON.parse(cause.responseBody ?? '{}') as { error?: { code?: unknown } };
    return { status: cause.statusCode, code: body?.code };
  },
};

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(() => stage.clear());
afterAll(() => stage?.close());

describe.each([openai, ai].flatMap(embedder => WAYS.map(way => [embedder.name, way, embedder] as const)))(
  '%s %s',
  (_name, way, embedder) => {
    const accessOf = (department: Department, maxRetries = 0): Access =>
      accessTo(stage, way, { provider: 'openai' }, department, maxRetries);
    const script = (...scripts: Script[]): void => {
      for (const one of scripts) stage.providers.openai.next({ promptTokens: PROMPT_TOKENS, ...one });
    };
    const books = (): Promise<void> => expectBooksToAgree(stage);

    it('records the embedding of one text as the provider counted it', async () => {
      script({ promptTokens: 2_000, pieces: [1, 50, 7_000] });
      expect(await embedder.one(accessOf('Sales'))).toEqual([1_536]);
      await books();
    });

    it('records the embeddings of many texts as the provider counted them', async () => {
      const sizes = await embedder.many(accessOf('Sales'), ['one', 'two', 'x'.repeat(4_000)]);
      expect(sizes).toEqual([1_536, 1_536, 1_536]);
      expect(stage.providers.openai.totals).toMatchObject({ requests: 1, finished: 1 });
      await books();
    });

    it.each(REFUSED)('refuses %s with %d %s before the provider gets a request', async (who, status, code) => {
      const error: unknown = await embedder.one(accessOf(who, 2)).catch((error: unknown) => error);
      expect(embedder.failureOf(error)).toEqual({ status, code });
      expect(stage.providers.openai.totals.requests).toBe(0);
      await books();
    });

    it.each([400, 429, 500])('records nothing for a call that the provider answers with %d', async status => {
      script({ error: { status } });
      const error: unknown = await embedder.one(accessOf('Sales')).catch((error: unknown) => error);
      expect(embedder.failureOf(error).status).toBe(status);
      await books();
    });

    it('records a call once if the SDK retries', async () => {
      script({ error: { status: 429 } }, { error: { status: 503 } }, {});
      expect(await embedder.one(accessOf('Sales', 2))).toEqual([1_536]);
      expect(stage.providers.openai.totals).toMatchObject({ requests: 3, refused: 2, finished: 1 });
      await books();
    });

    it('records the prompt if the caller disconnects before the answer', async () => {
      script({ death: { how: 'hang', at: 'headers' } });
      const abort = new AbortController();
      const asked = embedder.one(accessOf('Sales'), abort.signal).catch((error: unknown) => error);
      await stage.providers.openai.until(() => stage.providers.openai.openCalls === 1);
      abort.abort();
      expect(await asked).toBeInstanceOf(Error);
      await stage.providers.openai.until(() => stage.providers.openai.totals.cut === 1);
      await expectBooksToAgree(stage, { isNamed: false });
    });
  },
);
