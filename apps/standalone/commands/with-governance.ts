import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { readConfig, type StandaloneConfig } from '../config.js';
import { reachDatabase } from '../database.js';

/** Runs a command with the module's services and without HTTP. Releases the database afterwards. */
export async function withGovernance(
  work: (app: INestApplicationContext, config: StandaloneConfig) => Promise<void>,
): Promise<void> {
  const config = readConfig();
  const database = await reachDatabase(config);
  try {
    const app = await NestFactory.createApplicationContext(AppModule.with(config, database, { controllers: false }), {
      logger: ['error', 'fatal'],
      abortOnError: false,
    });
    try {
      await work(app, config);
    } finally {
      await app.close();
    }
  } finally {
    await database.release();
  }
}
