import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  Controller,
  Get,
  Injectable,
  Module,
  type CanActivate,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { CALLS_OPTIONS } from '#calls';
import { Governance, GovernedCalls } from '#governance';
import type { AiSdkChat as BareAiSdkChat } from '../../apps/examples/docs-snippets/src/integrate/ai-sdk.before.js';
import type { AiSdkChat } from '../../apps/examples/docs-snippets/src/integrate/ai-sdk.js';
import { AnthropicChat as BareAnthropicChat } from '../../apps/examples/docs-snippets/src/integrate/anthropic.before.js';
import { AnthropicChat } from '../../apps/examples/docs-snippets/src/integrate/anthropic.js';
import { LangChainChat as BareLangChainChat } from '../../apps/examples/docs-snippets/src/integrate/langchain.before.js';
import { LangChainChat } from '../../apps/examples/docs-snippets/src/integrate/langchain.js';
import { CallChat as BareCallChat } from '../../apps/examples/docs-snippets/src/integrate/call.before.js';
import { CallChat } from '../../apps/examples/docs-snippets/src/integrate/call.js';
import { ChatController as BareChatController } from '../../apps/examples/docs-snippets/src/integrate/controller.before.js';
import { ChatController } from '../../apps/examples/docs-snippets/src/integrate/controller.js';
import { StreamChat as BareStreamChat } from '../../apps/examples/docs-snippets/src/integrate/stream.before.js';
import { StreamChat } from '../../apps/examples/docs-snippets/src/integrate/stream.js';
import { OpenAiChat as BareOpenAiChat } from '../../apps/examples/docs-snippets/src/integrate/openai.before.js';
import { OpenAiChat } from '../../apps/examples/docs-snippets/src/integrate/openai.js';
import { RefusalInterceptor } from '../../apps/examples/docs-snippets/src/integrate/refusal.interceptor.js';
import type { Person } from '../../apps/examples/docs-snippets/src/integrate/person.js';
import { booksOf } from '../e2e/calls.support.js';
import { addBudget, openShop, type Shop } from '../e2e/spend.support.js';
import { startProvider, type Provider } from '../support/providers/provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { lineCount } from '../architecture/structure.js';
import { GATEWAY_DEFAULTS } from '../../libs/gateway/gateway.options.js';
import { blocksOf, readPage } from './markdown.js';

const QUESTION = 'What does it cost?';
const FOLDER = 'apps/examples/docs-snippets/src/integrate/';

let app: TestApp;
let shop: Shop;
let person: Person;
let openai: Provider;
let anthropic: Provider;
let aiSdk: { bare: BareAiSdkChat; governed: (calls: GovernedCalls) => AiSdkChat };
const environment = { ...process.env };

beforeAll(async () => {
  app = await startTestApp({ outbox: { workers: false } });
  openai = await startProvider({ kind: 'openai' });
  anthropic = await startProvider({ kind: 'anthropic' });
  Object.assign(process.env, {
    ...{ OPENAI_API_KEY: openai.key, OPENAI_BASE_URL: `${openai.url}/v1` },
    ...{ ANTHROPIC_API_KEY: anthropic.key },
    ANTHROPIC_BASE_URL: anthropic.url,
  });
  // The AI SDK reads the environment on import.
  const [before, after] = await Promise.all([
    import('../../apps/examples/docs-snippets/src/integrate/ai-sdk.before.js'),
    import('../../apps/examples/docs-snippets/src/integrate/ai-sdk.js'),
  ]);
  aiSdk = { bare: new before.AiSdkChat(), governed: calls => new after.AiSdkChat(calls) };
});

beforeEach(async () => {
  openai.clear();
  anthropic.clear();
  shop = await openShop(app);
  const { body } = await shop.call('GET', `/v1/users/${shop.userId}`);
  person = { orgId: shop.orgId, user_email: body.email };
});

afterAll(async () => {
  process.env = environment;
  await openai?.close();
  await anthropic?.close();
  await app?.close();
});

async function textOf(answer: AsyncIterable<string> | Promise<string>): Promise<string> {
  if (answer instanceof Promise) return answer;
  let text = '';
  for await (const part of answer) text += part;
  return text;
}

interface Way {
  readonly file: string;
  readonly provider: () => Provider;
  readonly bare: () => { answer(question: string): AsyncIterable<string> | Promise<string> };
  readonly governed: (calls: GovernedCalls) => {
    answer(question: string, person: Person): AsyncIterable<string> | Promise<string>;
  };
}

const WAYS: Record<string, Way> = {
  'OpenAI SDK': {
    ...{ file: 'openai', provider: () => openai },
    ...{ bare: () => new BareOpenAiChat(), governed: calls => new OpenAiChat(calls) },
  },
  'Anthropic SDK': {
    ...{ file: 'anthropic', provider: () => anthropic },
    ...{ bare: () => new BareAnthropicChat(), governed: calls => new AnthropicChat(calls) },
  },
  'Vercel AI SDK': {
    ...{ file: 'ai-sdk', provider: () => openai },
    ...{ bare: () => aiSdk.bare, governed: calls => aiSdk.governed(calls) },
  },
  'One call': {
    ...{ file: 'call', provider: () => openai },
    ...{ bare: () => new BareCallChat(), governed: () => new CallChat(app.app.get(Governance)) },
  },
  'A stream': {
    ...{ file: 'stream', provider: () => openai },
    ...{ bare: () => new BareStreamChat(), governed: () => new StreamChat(app.app.get(Governance)) },
  },
  'A controller': {
    ...{ file: 'controller', provider: () => openai },
    ...{ bare: () => askedOver(BareChatController), governed: () => askedOver(ChatController) },
  },
  LangChain: {
    ...{ file: 'langchain', provider: () => openai },
    ...{ bare: () => new BareLangChainChat(), governed: calls => new LangChainChat(calls) },
  },
};

/** Serves a controller in a host that authenticates the caller, and calls it over HTTP. */
function askedOver(controller: Type<unknown>) {
  return {
    async answer(question: string): Promise<string> {
      @Injectable()
      class SignIn implements CanActivate {
        canActivate(context: ExecutionContext): boolean {
          return Object.assign(context.switchToHttp().getRequest<object>(), { person }) !== undefined;
        }
      }
      @Module({
        controllers: [controller],
        providers: [
          { provide: GovernedCalls, useValue: app.app.get(GovernedCalls) },
          { provide: CALLS_OPTIONS, useValue: {} },
        ],
      })
      class Host {}
      const host = await NestFactory.create(Host, { logger: false });
      host.useGlobalGuards(new SignIn());
      await host.listen(0, '127.0.0.1');
      try {
        const response = await fetch(`${await host.getUrl()}/chat?question=${encodeURIComponent(question)}`);
        const text = await response.text();
        if (!response.ok) throw new Error(text);
        return (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]!.message.content;
      } finally {
        await host.close();
      }
    },
  };
}

describe.each(Object.entries(WAYS))('the example of %s', (name, { file, provider, bare, governed }) => {
  it('answers the same as without governance, and records the usage', async () => {
    await addBudget(shop.call, 10);
    provider().behave({ promptTokens: 2_000, cachedTokens: 500, outputTokens: 30 });
    const alone = await textOf(bare().answer(QUESTION));
    expect(alone).not.toBe('');
    expect(await textOf(governed(app.app.get(GovernedCalls)).answer(QUESTION, person))).toBe(alone);
    const { answerId, promptTokens, outputTokens } = provider().served.at(-1)!;
    const books = await booksOf(shop);
    expect(books).toMatchObject({
      events: [{ id: answerId, input: promptTokens, output: outputTokens }],
      held: 0,
      reserved: 0,
    });
    const { body } = await shop.call('GET', `/v1/usage/events/${answerId}`);
    expect(body).toMatchObject({ cache_read_tokens: 500, decision_id: books.events[0]?.decision_id });
    expect(Number(body.cost_usd)).toBeGreaterThan(0);
  });

  it('does not call the provider when a policy blocks the call', async () => {
    // Silences the console, because the AI SDK and LangChain also write errors to it.
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await shop.call('POST', '/v1/policies', { name: 'No models', action: 'block' });
    const answer = textOf(governed(app.app.get(GovernedCalls)).answer(QUESTION, person));
    await expect(answer).rejects.toThrow(/A policy blocks this request: No models/);
    expect(provider().totals.requests).toBe(0);
    written.mockRestore();
  });

  it('has as many lines as the page says', () => {
    const [before, after] = [`${file}.before.ts`, `${file}.ts`].map(path => lineCount(readPage(FOLDER + path)));
    const row = readPage('docs/integrate.md')
      .split('\n')
      .find(line => line.startsWith(`| [${name}]`));
    expect(row?.split('|').slice(2, 4).map(Number)).toEqual([before, after]);
  });
});

describe.each(['OpenAI SDK', 'Anthropic SDK', 'Vercel AI SDK'])(
  'a host with the interceptor and the example of %s',
  way => {
    const { provider, governed } = WAYS[way]!;

    it('answers a refusal with its status and reason, and an error of the provider with 500', async () => {
      const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
      @Controller('chat')
      class Chat {
        @Get()
        async chat(): Promise<string> {
          return textOf(governed(app.app.get(GovernedCalls)).answer(QUESTION, person));
        }
      }
      @Module({ controllers: [Chat], providers: [{ provide: APP_INTERCEPTOR, useClass: RefusalInterceptor }] })
      class Host {}
      const host = await NestFactory.create(Host, { logger: false });
      await host.listen(0, '127.0.0.1');
      const ask = async (): Promise<unknown> => {
        const response = await fetch(`${await host.getUrl()}/chat`);
        return { status: response.status, body: await response.json() };
      };
      provider().behave({ error: { status: 400, message: 'Secret of the provider' } });
      expect(await ask()).toEqual({ status: 500, body: { statusCode: 500, message: 'Internal server error' } });
      provider().clear();
      await shop.call('POST', '/v1/policies', { name: 'No models', action: 'block' });
      expect(await ask()).toEqual({
        status: 403,
        body: { statusCode: 403, message: 'A policy blocks this request: No models.' },
      });
      expect(provider().totals.requests).toBe(0);
      await host.close();
      written.mockRestore();
    });
  },
);

describe('the tables of the page', () => {
  const page = readPage('docs/integrate.md');
  const chapterOf = (title: string): string => page.split(/^## /m).find(text => text.startsWith(`${title}\n`)) ?? '';

  it.each([
    ['Gateway', /^OPENAI_BASE_URL=[^]*?(?=^```)/m],
    ['LiteLLM', /^guardrails:[^]*?(?=^```)/m],
    ['OpenTelemetry', /^OTEL_[^]*?(?=^```)/m],
  ])('show as many lines of configuration for %s as the page has', (title, configuration) => {
    const shown = configuration.exec(chapterOf(title))?.[0] ?? '';
    const lines = shown.split('\n').filter(line => line.trim() !== '').length;
    const row = page.split('\n').find(line => line.startsWith(`| [${title}]`));
    expect(Number(row?.split('|')[3])).toBe(lines);
  });

  it('show as many lines of settings for Claude Code as its page has', () => {
    const settings = blocksOf('docs/claude-code.md').find(({ marks }) => marks[0] === 'settings')?.code ?? '';
    const row = page.split('\n').find(line => line.startsWith('| [Claude Code]'));
    expect(Number(row?.split('|')[3])).toBe(lineCount(settings));
  });

  it('list every option of the gateway with its default', () => {
    const rows = [...chapterOf('Gateway').matchAll(/^\| `(\w+)` +\| `(\d+)` /gm)];
    expect(Object.fromEntries(rows.map(([, name, value]) => [name, Number(value)]))).toEqual(GATEWAY_DEFAULTS);
  });
});
