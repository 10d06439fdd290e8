import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayModule, type GatewaySettings } from './gateway.module.js';

/** Creates the gateway with governance under `/governance`, without listening. */
export async function createGateway(settings: GatewaySettings): Promise<NestFastifyApplication> {
  // Batches of usage may exceed the 1 MiB limit of Fastify.
  const adapter = new FastifyAdapter({ bodyLimit: 5 * 1024 * 1024 });
  // With `rawBody`, governance can reject duplicate keys in a body that Fastify has parsed.
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.with(settings), adapter, {
    rawBody: true,
    logger: ['error', 'warn'],
  });
  app.enableShutdownHooks();
  return app;
}
