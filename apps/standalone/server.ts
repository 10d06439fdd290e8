import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import { createOpenApiDocument, ErrorFilter, GovernanceOperations } from 'nest-llm-governance';
import { AppModule } from './app.module.js';
import { readConfig, type StandaloneConfig } from './config.js';
import { openDatabase } from './database.js';
import { startMetrics } from './metrics.js';

/** A listening server. */
export interface RunningServer {
  url: string;
  /** Answers what is in flight, writes what is buffered, closes the database. */
  stop(): Promise<void>;
}

const REFERENCE_PATH = 'reference';

/** Starts the database if it is ours, migrates, listens, and prints where to go. */
export async function startServer(config: StandaloneConfig = readConfig()): Promise<RunningServer> {
  const database = await openDatabase(config);
  const metrics = config.metrics ? await startMetrics() : undefined;
  try {
    const app = await NestFactory.create<NestExpressApplication>(
      AppModule.with(config, database.url, { controllers: true }),
      { bodyParser: false, abortOnError: false, logger: new ConsoleLogger({ logLevels: ['warn', 'error', 'fatal'] }) },
    );
    app.disable('x-powered-by');
    // Answers of an API that are computed anew each time are never "not modified"; their digests cost time for nothing.
    app.disable('etag');
    app.use(helmet());
    if (metrics) app.use(metrics.timeRequests).use('/metrics', metrics.page);
    app.useGlobalFilters(new ErrorFilter());
    const document = createOpenApiDocument(app);
    SwaggerModule.setup(REFERENCE_PATH, app, document, { jsonDocumentUrl: 'openapi.json' });
    await app.init();
    const first = await app.get(GovernanceOperations).ensureFirstOrganization(config.firstOrganization);
    // Only now: whoever gets an answer can sign in.
    await app.listen(config.port, config.host);
    const url = (await app.getUrl()).replace('[::1]', 'localhost');
    announce(url, first);
    return {
      url,
      async stop() {
        await app.close();
        await metrics?.stop();
        await database.release();
      },
    };
  } catch (error) {
    await database.release();
    throw error;
  }
}

function announce(url: string, first: { orgId: string; newAdminToken?: string }): void {
  const token = first.newAdminToken ?? 'as given before (npm run -s cli -- token create makes another)';
  const lines = [
    '',
    '  nest-llm-governance is running',
    '',
    `  API            ${url}/v1`,
    `  API reference  ${url}/${REFERENCE_PATH}`,
    `  OpenAPI        ${url}/openapi.json`,
    `  Organization   ${first.orgId}`,
    `  Admin token    ${token}`,
    ...(first.newAdminToken ? ['                 (shown only now; keep it)'] : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
