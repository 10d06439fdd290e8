import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module, ValidationPipe, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import OpenAI from 'openai';
import { map } from 'rxjs';
import { GovernanceModule } from '#governance';
import { createMigratedDatabase } from '../../support/migrated-database.js';
import { startProvider, type Provider } from '../../support/providers/provider.js';
import { createOrganization, createToken } from '../../support/seed.js';
import type { TestDatabase } from '../../support/test-postgres.js';
import { GATEWAY_ALLOWED } from './gateway.support.js';

const KEYS = `k1:${Buffer.alloc(32, 5).toString('base64')}`;
const HELLO = [{ role: 'user' as const, content: 'Hello' }];

const PLATFORMS = {
  Express: (host: new () => object) => NestFactory.create(host, { logger: ['error'], rawBody: true }),
  Fastify: (host: new () => object) => NestFactory.create(host, new FastifyAdapter(), { logger: ['error'] }),
};

describe.each(Object.entries(PLATFORMS))('the gateway in a host on %s', (_platform, create) => {
  let provider: Provider;
  let database: TestDatabase;
  let app: INestApplication;
  let client: OpenAI;

  beforeAll(async () => {
    provider = await startProvider({ kind: 'openai' });
    database = await createMigratedDatabase();
    const governance = GovernanceModule.forRoot({
      ...{ database: { url: database.url }, keys: KEYS, path: 'governance', ...GATEWAY_ALLOWED },
    });

    @Module({ imports: [governance] })
    class Host {}

    app = await create(Host);
    app.setGlobalPrefix('api');
    app.useGlobalPipes(new ValidationPipe({ whitelist: true }));
    app.useGlobalInterceptors({ intercept: (_context, next) => next.handle().pipe(map(data => ({ data }))) });
    await app.listen(0, '127.0.0.1');
    const root = `${await app.getUrl()}/api/governance`;
    const orgId = await createOrganization(app, 'Host');
    const admin = await createToken(app, orgId, 'admin');
    const send = (method: string, path: string, body: object): Promise<Response> =>
      fetch(root + path, {
        method,
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const settings = { kind: 'openai', base_url: provider.url, secrets: { api_key: provider.key } };
    await send('PUT', '/v1/gateway/providers/main', settings);
    await send('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
    const token = await createToken(app, orgId, 'agent');
    client = new OpenAI({
      ...{ apiKey: token, baseURL: `${root}/gateway/main/v1`, maxRetries: 0 },
      defaultHeaders: { 'X-Governance-User': 'ada@example.com' },
    });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
    await provider?.close();
  });

  it('forwards answers and streams, unchanged by the pipes and interceptors of the host', async () => {
    const plain = await client.chat.completions.create({ model: 'gpt-4o-mini', messages: HELLO });
    expect(plain.object).toBe('chat.completion');
    let text = '';
    for await (const chunk of await client.chat.completions.create({
      ...{ model: 'gpt-4o-mini', messages: HELLO, stream: true },
    })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).not.toBe('');
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
  });

  it('accepts a body that is larger than the host’s parsers allow', async () => {
    const messages = [{ role: 'user' as const, content: 'x'.repeat(4_000_000) }];
    const answer = await client.chat.completions.create({ model: 'gpt-4o-mini', messages });
    expect(answer.object).toBe('chat.completion');
  });

  it('answers the request without a credential that Claude Code sends at its start', async () => {
    const root = client.baseURL.replace(/\/v1$/, '');
    const { requests } = provider.totals;
    const greeting = await fetch(`${root}/api/hello`, { method: 'HEAD' });
    expect([greeting.status, greeting.headers.get('x-request-id')]).toEqual([200, expect.any(String)]);
    for (const [method, path] of [
      ['GET', 'api/hello'],
      ['HEAD', 'api/other'],
      ['HEAD', 'v1/models'],
    ] as const) {
      expect((await fetch(`${root}/${path}`, { method })).status).toBe(401);
    }
    expect(provider.totals.requests).toBe(requests);
  });

  it('answers errors in the format of the provider', async () => {
    await expect(client.chat.completions.create({ model: '', messages: HELLO })).rejects.toMatchObject({ status: 400 });
    await expect(client.files.list()).rejects.toMatchObject({ status: 404, code: 'unknown_path' });
    provider.behave({ error: { status: 500, message: 'Overloaded' } });
    await expect(client.chat.completions.create({ model: 'gpt-4o-mini', messages: HELLO })).rejects.toMatchObject({
      status: 500,
    });
    provider.clear();
  });
});
