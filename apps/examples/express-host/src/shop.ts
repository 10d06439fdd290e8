import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { MikroORM } from '@mikro-orm/postgresql';
import { ShopModule } from './shop.module.js';

/** Creates the shop with governance under `/governance`, without listening. */
export async function createShop(): Promise<NestExpressApplication> {
  // With `rawBody`, governance can reject duplicate keys in a body that the shop's parser has read.
  const app = await NestFactory.create<NestExpressApplication>(ShopModule, {
    rawBody: true,
    logger: ['error', 'warn'],
  });
  // Batches of usage may exceed the 100 kB limit of Express.
  app.useBodyParser('json', { limit: '5mb' });
  app.enableShutdownHooks();
  await app.get(MikroORM).schema.update();
  return app;
}
