import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Module, Post, Sse, StreamableFile, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { NEVER, of, type Observable } from 'rxjs';
import { ErrorFilter, Governed, GovernedDecision, RefusedError, type Decision } from '#governance';
import { GovernanceMemory, GovernanceTestingModule } from '../../libs/testing/index.js';

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const ROUTE = {
  org: () => ORG,
  provider: 'openai',
  model: (request: { body?: { model?: string } }) => request.body?.model ?? 'gpt-4o',
  user: (request: { headers: Record<string, string> }) => request.headers['x-user'] ?? '',
};

const BLOCKED = {
  ...{ id: ORG, action: 'block', allowed: false, reason: 'budget_exceeded' },
  ...{ policies: [], budgets: [{ id: ORG, name: 'Team' }], evaluated_at: '2026-11-20T13:00:00.000Z' },
} satisfies Decision;

let calls = 0;

@Controller('chat')
class ChatController {
  @Post()
  @Governed(ROUTE)
  async chat(@Body() _body: object, @GovernedDecision() decision: Decision): Promise<object> {
    calls++;
    const usage = { prompt_tokens: 10, completion_tokens: 20 };
    return { id: 'chatcmpl-1', usage, decision: decision.id };
  }

  @Post('failing')
  @Governed(ROUTE)
  async failing(): Promise<never> {
    throw new Error('the provider is away');
  }

  @Get('streamed')
  @Governed({ ...ROUTE, textOf: String })
  streamed(): StreamableFile {
    return new StreamableFile(Readable.from([Buffer.from('x'.repeat(40)), Buffer.from('y'.repeat(40))]), {
      type: 'text/plain',
    });
  }

  @Get('hanging')
  @Governed({ ...ROUTE, textOf: String })
  hanging(): StreamableFile {
    const source = new Readable({ read: () => undefined });
    source.push('x'.repeat(40));
    return new StreamableFile(source);
  }

  @Sse('events')
  @Governed({ ...ROUTE, textOf: chunk => (chunk as { data: string }).data })
  events(): Observable<{ data: string }> {
    return of({ data: 'x'.repeat(40) }, { data: 'y'.repeat(40) });
  }

  @Sse('endless')
  @Governed(ROUTE)
  endless(): Observable<never> {
    return NEVER;
  }
}

describe.each(['Express', 'Fastify'])('governed routes of a host on %s', platform => {
  let app: INestApplication;
  let memory: GovernanceMemory;
  let url: string;

  beforeAll(async () => {
    @Module({ imports: [GovernanceTestingModule.forRoot({ organizations: [ORG] })], controllers: [ChatController] })
    class Host {}
    const options = { logger: false as const, abortOnError: false };
    app =
      platform === 'Express'
        ? await NestFactory.create(Host, options)
        : await NestFactory.create(Host, new FastifyAdapter(), options);
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    memory = app.get(GovernanceMemory);
  });

  beforeEach(() => {
    memory.reset();
    calls = 0;
  });

  afterAll(() => app.close());

  const send = (
    path: string,
    { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ): Promise<Response> =>
    fetch(`${url}/chat${path}`, { ...init, headers: { 'x-user': 'ada@example.com', ...headers } });

  it('decides before the handler, and records the usage of its result before the answer', async () => {
    const answer = await send('', {
      method: 'POST',
      body: '{"model":"o3"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(201);
    const [decided] = memory.recordedOf('decision');
    expect(decided).toMatchObject({ orgId: ORG, request: { user_email: 'ada@example.com', model: 'o3' } });
    expect(await answer.json()).toMatchObject({ id: 'chatcmpl-1', decision: decided!.decision.id });
    expect(memory.recordedOf('usage')).toMatchObject([{ eventId: 'chatcmpl-1', inputTokens: 10, outputTokens: 20 }]);
  });

  it.each([
    [402, 'budget_exceeded', () => memory.block('budget_exceeded')],
    [403, 'policy_blocked', () => memory.setPolicies([{ name: 'No', action: 'block' }])],
    [403, 'approval_required', () => memory.setPolicies([{ name: 'Ask', action: 'require_approval' }])],
  ])('answers %i %s with our error body, and never runs the handler', async (status, code, refuse) => {
    refuse();
    const answer = await send('', { method: 'POST' });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: code, message: expect.any(String), request_id: expect.any(String) });
    expect(calls).toBe(0);
  });

  it('answers 400 to a request without a user', async () => {
    const answer = await send('', { method: 'POST', headers: { 'x-user': '' } });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'bad_request', message: expect.stringContaining('user') });
  });

  it('releases the reservation when the handler fails', async () => {
    expect((await send('/failing', { method: 'POST' })).status).toBe(500);
    expect(memory.recorded.map(({ kind }) => kind)).toEqual(['decision', 'release']);
  });

  it.each(['/streamed', '/events'])('meters what %s streams, and has recorded it at the end', async path => {
    expect(await (await send(path)).text()).toContain('y'.repeat(40));
    expect(memory.recordedOf('usage')).toMatchObject([{ outputTokens: 20 }]);
  });

  it('records the forwarded usage when the client disconnects, and releases the reservation of an empty stream', async () => {
    const left = async (path: string): Promise<void> => {
      const leaving = new AbortController();
      const answer = await send(path, { signal: leaving.signal });
      if (path === '/hanging') await answer.body!.getReader().read();
      leaving.abort();
    };
    await left('/hanging');
    await until(() => memory.recordedOf('usage').length === 1);
    expect(memory.recordedOf('usage')).toMatchObject([{ outputTokens: 10 }]);
    await left('/endless');
    await until(() => memory.recordedOf('release').length === 1);
  });
});

describe('our filter in a host', () => {
  it("answers an uncaught refusal of a host's service with its status and code", async () => {
    @Controller('plain')
    class PlainController {
      @Get()
      async plain(): Promise<never> {
        throw new RefusedError({ ...BLOCKED });
      }
    }
    @Module({ controllers: [PlainController] })
    class Host {}
    for (const [filter, body] of [
      [true, { error: 'budget_exceeded', request_id: expect.any(String) }],
      [false, { statusCode: 402 }],
    ] as const) {
      const app = await NestFactory.create(Host, { logger: false });
      if (filter) app.useGlobalFilters(new ErrorFilter());
      await app.listen(0, '127.0.0.1');
      const answer = await fetch(`${await app.getUrl()}/plain`);
      expect([answer.status, await answer.json()]).toEqual([402, expect.objectContaining(body)]);
      await app.close();
    }
  });
});

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('not in time');
    await new Promise(done => setTimeout(done, 5));
  }
}
