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
import { createOrganization, createToken } from '../support/seed.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';

const KEYS = `k1:${Buffer.alloc(32, 4).toString('base64')}`;
const IS_PUBLIC = 'shop:public';
const Public = () => SetMetadata(IS_PUBLIC, true);

/** The host's global guard: nobody passes without the host's own session. */
@Injectable()
class SessionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, [context.getHandler(), context.getClass()])) return true;
    throw new UnauthorizedException('no session');
  }
}

/** The host's global interceptor, which gives its answers an envelope. */
@Injectable()
class Envelope implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return isGovernanceRoute(context) ? next.handle() : next.handle().pipe(map(data => ({ data })));
  }
}

/** An interceptor that knows nothing of our routes. */
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
  get(path: string, accept?: string): Promise<{ status: number; type: string; text: string }>;
}

describe.each(['express', 'fastify'] as const)('a host on %s with globals of its own', platform => {
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
    };
    hosts.push(host);
    return host;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    for (const { app } of hosts) await app.close();
    await database?.drop();
  });

  it('reaches our routes under its prefix, beside its guard, versioning and envelope', async () => {
    const host = await start(Envelope);
    expect(JSON.parse((await host.get('/api/governance/v1/policies')).text)).toMatchObject({ items: [] });
    const csv = await host.get('/api/governance/v1/usage', 'text/csv');
    expect([csv.status, csv.type]).toEqual([200, expect.stringContaining('text/csv')]);
    expect(csv.text).toMatch(/^period,user_id,/);
    expect(Object.keys(createOpenApiDocument(host.app).paths)).toContain('/api/governance/v1/usage');
  });

  it('keeps its own answers as they are', async () => {
    const [host] = hosts;
    expect(await host?.get('/api/v1/orders')).toMatchObject({ status: 200, text: '{"data":["book"]}' });
    expect((await host?.get('/api/v1/orders/secret'))?.status).toBe(401);
  });

  it('gets 500 and not the inside of a stream when its interceptor wraps one', async () => {
    const host = await start(BlindEnvelope);
    const { status, text } = await host.get('/api/governance/v1/usage', 'text/csv');
    expect(status).toBe(500);
    expect(text).not.toContain('_readableState');
  });
});

describe('decorators of routes', () => {
  it('stay with their composition, so that another one in the process has none', async () => {
    const { decorated } = await import('../../libs/governance/composition/decorated.js');
    const [own] = decorated([OrdersController], [SetMetadata('mark', 'x')]);
    expect(own && Reflect.getMetadata('mark', own)).toBe('x');
    expect(Reflect.getMetadata('mark', OrdersController)).toBeUndefined();
  });
});
