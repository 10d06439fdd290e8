import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Injectable,
  Module,
  SetMetadata,
  UnauthorizedException,
  VersioningType,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { map, type Observable } from 'rxjs';
import { createOpenApiDocument, GovernanceModule, isGovernanceRoute } from 'nest-llm-governance';
import { newRequest } from './devices/devices.support.js';
import { createOrganization, createToken } from '../support/seed.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';

const KEYS = `k1:${Buffer.alloc(32, 4).toString('base64')}`;
const IS_PUBLIC = 'shop:public';
const Public = () => SetMetadata(IS_PUBLIC, true);

/** The host's global guard: refuses every request without the host's own session. */
@Injectable()
class SessionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, [context.getHandler(), context.getClass()])) return true;
    throw new UnauthorizedException('no session');
  }
}

/** The host's global interceptor, which wraps its answers in an envelope. */
@Injectable()
class Envelope implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return isGovernanceRoute(context) ? next.handle() : next.handle().pipe(map(data => ({ data })));
  }
}

/** An interceptor that does not treat our routes separately. */
@Injectable()
class BlindEnvelope implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map(data => ({ data })));
  }
}

@Controller({ path: 'orders', version: '1' })
class OrdersController {
  @Public()
  @Get()
  list(): string[] {
    return ['book'];
  }

  @Get('secret')
  secret(): string {
    return 'not for you';
  }
}

interface Host {
  app: INestApplication;
  url: string;
  token: string;
  get(path: string, accept?: string): Promise<TextAnswer>;
  /** Sends a request to a route of governance. */
  post(path: string, body: object): Promise<TextAnswer>;
}

interface TextAnswer {
  status: number;
  type: string;
  text: string;
}

/** A request to a route of governance, below the prefixes of the host. */
async function ask(
  { url, token }: Pick<Host, 'url' | 'token'>,
  method: string,
  path: string,
  { accept = 'application/json', body }: { accept?: string; body?: object },
): Promise<TextAnswer> {
  const response = await fetch(`${url}/api/governance${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: bytes.toString('latin1') };
}

describe.each(['express', 'fastify'] as const)('a host on %s with its own globals', platform => {
  let database: TestDatabase;
  const hosts: Host[] = [];

  async function start(envelope: typeof Envelope | typeof BlindEnvelope): Promise<Host> {
    @Module({
      imports: [
        GovernanceModule.forRoot({
          database: { url: database.url, migrations: 'run' },
          keys: KEYS,
          path: 'governance',
          routeDecorators: [Public()],
        }),
      ],
      controllers: [OrdersController],
      providers: [
        { provide: APP_GUARD, useClass: SessionGuard },
        { provide: APP_INTERCEPTOR, useClass: envelope },
      ],
    })
    class Shop {}

    const options = { logger: false, abortOnError: false } as const;
    const app = await (platform === 'express'
      ? NestFactory.create(Shop, options)
      : NestFactory.create(Shop, new FastifyAdapter(), options));
    app.setGlobalPrefix('api');
    app.enableVersioning({ type: VersioningType.URI });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    const token = await createToken(app, await createOrganization(app, 'Shop'), 'admin');
    const host: Host = {
      ...{ app, url, token },
      async get(path, accept = 'application/json') {
        const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}`, accept } });
        return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
      },
      post: (path, body) => ask({ url, token }, 'POST', path, { body }),
    };
    hosts.push(host);
    return host;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    for (const { app } of hosts) {
      // fetch may keep a connection open on which it has sent nothing. The server does not count it as idle, so it must
      // be closed here.
      app.getHttpServer().closeAllConnections();
      await app.close();
    }
    await database?.drop();
  });

  it('reaches our routes under its prefix, with its guard, versioning and envelope', async () => {
    const host = await start(Envelope);
    expect(JSON.parse((await host.get('/api/governance/v1/policies')).text)).toMatchObject({ items: [] });
    const csv = await host.get('/api/governance/v1/usage', 'text/csv');
    expect([csv.status, csv.type]).toEqual([200, expect.stringContaining('text/csv')]);
    expect(csv.text).toMatch(/^period,user_id,/);
    expect(Object.keys(createOpenApiDocument(host.app).paths)).toContain('/api/governance/v1/usage');
  });

  it('keeps its own answers unchanged', async () => {
    const [host] = hosts;
    expect(await host?.get('/api/v1/orders')).toMatchObject({ status: 200, text: '{"data":["book"]}' });
    expect((await host?.get('/api/v1/orders/secret'))?.status).toBe(401);
  });

  describe('whose interceptor wraps every answer', () => {
    let host: Host;
    let plain: Host;

    beforeAll(async () => {
      plain = await start(Envelope);
      host = await start(BlindEnvelope);
      const user = await plain.post('/v1/users', { email: 'ada@example.com', name: 'Ada' });
      const { id: user_id } = JSON.parse(user.text);
      const { token } = JSON.parse((await plain.post('/v1/devices/enrollments', { user_id, name: 'Laptop' })).text);
      await plain.post('/v1/devices/enroll', { token, csr: (await newRequest()).csr });
      await plain.post('/v1/decisions', { user_id, provider: 'openai', model: 'gpt-4o' });
    });

    /** A request to the host with the interceptor. */
    const askBlind = (method: string, path: string, given: Parameters<typeof ask>[3]): Promise<TextAnswer> =>
      ask({ url: host.url, token: plain.token }, method, path, given);

    it.each([
      ['/v1/usage', 'text/csv'],
      ['/v1/usage', 'application/json'],
      ['/v1/users', 'text/csv'],
      ['/v1/devices/ca', '*/*'],
      ['/v1/devices/crl', '*/*'],
      ['/v1/devices/crl', 'application/pkix-crl'],
    ])('gets the streamed answer of %s as %s unchanged', async (path, accept) => {
      const expected = await ask(plain, 'GET', path, { accept });
      expect(expected.status).toBe(200);
      expect(await askBlind('GET', path, { accept })).toEqual(expected);
    });

    it.each(['application/x-ndjson', 'application/json'])('gets a simulation as %s', async accept => {
      const body = { policy: { name: 'All', action: 'block' } };
      const { status, type, text } = await askBlind('POST', '/v1/policies/simulate', { accept, body });
      expect([status, type]).toEqual([200, `${accept}; charset=utf-8`]);
      const last = JSON.parse(text.trim().split('\n').at(-1) ?? '');
      expect(last.result ?? last).toMatchObject({ evaluated: expect.any(Number), by_action: expect.any(Array) });
    });

    it('gets a large batch of decisions, which is written in pieces', async () => {
      const name = 'n'.repeat(200);
      const policies = Array.from({ length: 60 }, (_, at) => ({ name: `${name}${at}`, action: 'alert' }));
      for (const policy of policies) expect((await plain.post('/v1/policies', policy)).status).toBe(201);
      const request = { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' };
      const body = { requests: Array.from({ length: 100 }, () => request) };
      const { status, type, text } = await askBlind('POST', '/v1/decisions/batch', { body });
      expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
      const { decisions } = JSON.parse(text);
      expect(decisions.map((one: { policies: object[] }) => one.policies.length)).toEqual(Array(100).fill(60));
    });

    it('streams incidents, and closes the stream of a client that has disconnected', async () => {
      // Opens more streams than the five that a reader may have at once.
      for (let at = 0; at < 7; at++) {
        const abort = new AbortController();
        const { status, body } = await openedStream(abort.signal);
        expect(status).toBe(200);
        const first = await body?.getReader().read();
        expect(Buffer.from(first?.value ?? []).toString()).toContain('event: ready');
        abort.abort();
      }
    });

    /**
     * The stream of incidents. Tries again while the server has not yet noticed that an earlier client has
     * disconnected.
     */
    async function openedStream(signal: AbortSignal): Promise<Response> {
      for (let tries = 0; ; tries++) {
        const headers = { authorization: `Bearer ${plain.token}` };
        const response = await fetch(`${host.url}/api/governance/v1/incidents/stream`, { headers, signal });
        if (response.status !== 429 || tries === 50) return response;
        await response.body?.cancel();
        await new Promise(done => setTimeout(done, 100));
      }
    }
  });
});

describe('decorators of routes', () => {
  it('apply only to their composition, and not to another one in the process', async () => {
    const { decorated } = await import('../../libs/governance/composition/decorated.js');
    const [own] = decorated([OrdersController], [SetMetadata('mark', 'x')]);
    expect(own && Reflect.getMetadata('mark', own)).toBe('x');
    expect(Reflect.getMetadata('mark', OrdersController)).toBeUndefined();
  });
});
