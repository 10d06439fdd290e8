import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import { createOpenApiDocument, ErrorFilter, GovernanceOperations, type FirstOrganization } from 'nest-llm-governance';
import { AppLogger } from './app-logger.js';
import { AppModule } from './app.module.js';
import { readConfig, type StandaloneConfig } from './config.js';
import { openDatabase, type DatabaseHandle } from './database.js';
import { handOver } from './first-token.js';
import { answerMalformedRequests, cutConnectionsAfter } from './http-server.js';
import { startMetrics } from './metrics.js';
import { plainHttpWarning } from './plain-http.js';
import { untrustedProxyWarning } from './untrusted-proxy.js';

/** A listening server. */
export interface RunningServer {
  url: string;
  /** Resolves with the reason when the embedded database ends by itself. */
  lost: Promise<string> | undefined;
  /** Answers what is in flight, writes what is buffered, closes the database. */
  stop(): Promise<void>;
}

const REFERENCE_PATH = 'reference';
/** How long a shutdown waits for requests that have not arrived in full; leaves time to write what is buffered. */
const PATIENCE_MS = 8_000;

/**
 * Starts the database if it is ours, migrates, listens, and prints where to go.
 * @throws what the signal was aborted with, when it was, after letting go of all that was started.
 */
export async function startServer(
  signal: AbortSignal,
  config: StandaloneConfig = readConfig(),
): Promise<RunningServer> {
  const database = await openDatabase(config);
  let stop = (): Promise<void> => database.release();
  try {
    signal.throwIfAborted();
    const metrics = config.metrics ? await startMetrics() : undefined;
    const app = await createApp(config, database);
    stop = async () => {
      const keep = cutConnectionsAfter(app.getHttpServer(), PATIENCE_MS);
      try {
        await app.close();
        await metrics?.stop();
      } finally {
        keep();
        await database.release();
      }
    };
    signal.throwIfAborted();
    if (metrics) app.use(metrics.timeRequests).use('/metrics', metrics.page);
    app.useGlobalFilters(new ErrorFilter());
    const document = createOpenApiDocument(app);
    SwaggerModule.setup(REFERENCE_PATH, app, document, { jsonDocumentUrl: 'openapi.json' });
    await app.init();
    const first = await app.get(GovernanceOperations).ensureFirstOrganization(config.firstOrganization);
    signal.throwIfAborted();
    // Only now: whoever gets an answer can sign in.
    await app.listen(config.port, config.host);
    const url = (await app.getUrl()).replace('[::1]', 'localhost');
    announce(url, first, config.dataDir);
    for (const warning of [
      plainHttpWarning(config.host, config.publicUrl),
      untrustedProxyWarning(config.publicUrl, config.trustedProxies),
    ]) {
      if (warning !== undefined) new Logger('Governance').warn(warning);
    }
    return { url, lost: database.lost, stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function createApp(config: StandaloneConfig, database: DatabaseHandle): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(config, database, { controllers: true }),
    { bodyParser: false, abortOnError: false, logger: new AppLogger() },
  );
  app.disable('x-powered-by');
  // Answers of an API that are computed anew each time are never "not modified"; their digests cost time for nothing.
  app.disable('etag');
  // The reference page must find its scripts where the app is reached without TLS.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  answerMalformedRequests(app.getHttpServer());
  return app;
}

function announce(url: string, first: FirstOrganization, dataDir: string): void {
  const { newAdminToken: token, adminTokenProblem: problem } = first;
  const kept = token === undefined ? undefined : handOver(token, dataDir, process.stdout.isTTY);
  const other =
    problem === undefined
      ? 'as given before (npm run -s cli -- token create makes another)'
      : 'not accepted; see the warning (npm run -s cli -- token create makes one)';
  const lines = [
    '',
    '  nest-llm-governance is running',
    '',
    `  API            ${url}/v1`,
    `  API reference  ${url}/${REFERENCE_PATH}`,
    `  OpenAPI        ${url}/openapi.json`,
    `  Organization   ${first.orgId}`,
    `  Admin token    ${kept?.shown ?? other}`,
    ...(kept ? [`                 ${kept.hint}`] : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
