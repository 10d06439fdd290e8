import { Module, type INestApplication, type NestApplicationOptions, type Type } from '@nestjs/common';
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { GovernanceModule, type ForRootOptions } from '#governance';
import { giveChatTime } from '../../support/itsm/chat-time.js';
import type { TestApp } from '../../support/test-app.js';

export type Kind = 'express' | 'fastify';

export const KINDS: readonly Kind[] = ['express', 'fastify'];

/** The options of a host. */
export interface HostPlan {
  readonly options?: NestApplicationOptions;
  readonly module?: Partial<ForRootOptions>;
  readonly controllers?: readonly Type[];
  readonly server?: AbstractHttpAdapter;
  /** Prefix of all routes. */
  readonly prefix?: string;
}

/** Runs a test with a host of another kind on the database of an app. */
export async function hosted(
  app: TestApp,
  kind: Kind,
  { options = {}, module = {}, controllers = [], server, prefix }: HostPlan,
  work: (url: string) => Promise<void>,
): Promise<void> {
  @Module({
    imports: [
      GovernanceModule.forRoot({
        keys: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
        requestsPerMinute: 0,
        outbox: { workers: false },
        database: { url: app.database.url, poolSize: 4 },
        ...module,
      }),
    ],
    controllers: [...controllers],
  })
  class Host {}
  const given = { ...options, logger: false, abortOnError: false } as const;
  const made = server ?? (kind === 'express' ? new ExpressAdapter() : new FastifyAdapter());
  const host: INestApplication = await NestFactory.create(Host, made, given);
  giveChatTime({ app: host });
  try {
    if (prefix !== undefined) host.setGlobalPrefix(prefix);
    await host.listen(0, '127.0.0.1');
    await work(await host.getUrl());
  } finally {
    await host.close();
  }
}
