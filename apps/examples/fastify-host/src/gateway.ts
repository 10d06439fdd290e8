import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayModule, type GatewaySettings } from './gateway.module.js';

/** The gateway with governance under `/governance`, not listening yet. */
export async function createGateway(settings: GatewaySettings): Promise<NestFastifyApplication> {
  // Batches of usage are larger than the 1 MiB that Fastify reads otherwise.
  const adapter = new FastifyAdapter({ bodyLimit: 5 * 1024 * 1024 });
  // Without `rawBody`, governance could not see keys that stand twice in a body that Fastify has parsed.
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.with(settings), adapter, {
    rawBody: true,
    logger: ['error', 'warn'],
  });
  app.enableShutdownHooks();
  return app;
}
