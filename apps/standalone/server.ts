import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import {
  createOpenApiDocument,
  GovernanceHealth,
  GovernanceOperations,
  type FirstOrganization,
} from 'nest-llm-governance';
import { accessLog } from './access-log.js';
import { announcementLine, announcementOf, tokenCommand } from './announcement.js';
import { AppErrorFilter } from './app-error.filter.js';
import { AppLogger } from './app-logger.js';
import { AppModule } from './app.module.js';
import { readConfig, type StandaloneConfig } from './config.js';
import { openDatabase, type DatabaseHandle } from './database.js';
import { Draining } from './draining.js';
import { handOver } from './first-token.js';
import { answerMalformedRequests, cutConnectionsAfter } from './http-server.js';
import { listen } from './listen.js';
import { startMetrics } from './metrics.js';
import { plainHttpWarning } from './plain-http.js';
import { startTraces } from './traces.js';
import { VERSION } from './version.js';
import { untrustedProxyWarning } from './untrusted-proxy.js';

/** A listening server. */
export interface RunningServer {
  url: string;
  /** Resolves with the reason if the embedded database ends unexpectedly. */
  lost: Promise<string> | undefined;
  /** Milliseconds for which a shutdown should continue to answer requests. */
  drainMs: number;
  /**
   * Stops the server. Readiness fails at once, and requests are still answered during the delay. After the delay, the
   * server finishes running requests, writes buffered data and closes the database.
   */
  stop(delayMs: number): Promise<void>;
}

const REFERENCE_PATH = 'reference';
/**
 * Milliseconds for which a shutdown waits for incomplete requests. Less than the total limit, so that time is left to
 * write buffered data.
 */
const TIMEOUT_MS = 8_000;

/**
 * Starts an embedded database if none is configured, migrates, listens, and prints the announcement.
 * @throws the reason of the signal if it is aborted, after everything that was started has been released
 */
export async function startServer(
  signal: AbortSignal,
  config: StandaloneConfig = readConfig(),
): Promise<RunningServer> {
  const database = await openDatabase(config);
  const draining = new Draining();
  let stop = (_delayMs: number): Promise<void> => database.release();
  try {
    signal.throwIfAborted();
    const metrics = config.metrics ? await startMetrics() : undefined;
    const traces = config.traces ? await startTraces() : undefined;
    const app = await createApp(config, database);
    stop = async delayMs => {
      app.get(GovernanceHealth).beginShutdown();
      draining.begin();
      // Load balancers need time to notice that this replica is not ready. Requests that they still send are answered.
      await sleep(delayMs);
      const keep = cutConnectionsAfter(app.getHttpServer(), TIMEOUT_MS);
      try {
        await app.close();
        await metrics?.stop();
        await traces?.stop();
      } finally {
        keep();
        await database.release();
      }
    };
    signal.throwIfAborted();
    app.use(draining.handle);
    if (traces) app.use(traces.traceRequests);
    if (config.accessLog) app.use(accessLog());
    if (metrics) app.use(metrics.timeRequests).use('/metrics', metrics.page);
    app.useGlobalFilters(new AppErrorFilter(app));
    // The page is created at its first use, because that takes a tenth of the startup time.
    SwaggerModule.setup(REFERENCE_PATH, app, () => createOpenApiDocument(app), { jsonDocumentUrl: 'openapi.json' });
    await app.init();
    const operations = app.get(GovernanceOperations);
    const first = await operations.ensureFirstOrganization({ ...config.firstOrganization, deferToken: true });
    signal.throwIfAborted();
    // The server listens only now, because from then on the configured token can be used to sign in.
    await listen(app, config);
    const url = (await app.getUrl()).replace('[::1]', 'localhost');
    // The token is created last. If the start failed after its creation, the token would be useless or lost.
    const isGiven = config.firstOrganization.adminToken !== undefined;
    const token = isGiven ? undefined : await operations.makeFirstToken(first.orgId);
    announce(url, first, token, config);
    for (const warning of [
      plainHttpWarning(config.host, config.publicUrl),
      untrustedProxyWarning(config.publicUrl, config.options.trustedProxies ?? []),
      ...config.unknownVariables,
    ]) {
      if (warning !== undefined) new Logger('Governance').warn(warning);
    }
    return { url, lost: database.lost, drainMs: config.drainSeconds * 1_000, stop };
  } catch (error) {
    await stop(0).catch(() => undefined);
    throw error;
  }
}

async function createApp(config: StandaloneConfig, database: DatabaseHandle): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(config, database, { controllers: true }),
    { bodyParser: false, abortOnError: false, logger: new AppLogger({ ...config.log, version: VERSION }) },
  );
  app.disable('x-powered-by');
  // Each answer is computed for its request and never answered with 304 (Not Modified). ETags would only take time.
  app.disable('etag');
  // With this directive, the reference page could not load its scripts over plain HTTP.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  answerMalformedRequests(app.getHttpServer());
  return app;
}

function announce(
  url: string,
  { orgId, adminTokenProblem: problem }: FirstOrganization,
  token: string | undefined,
  { dataDir, log }: StandaloneConfig,
): void {
  const isShown = process.stdout.isTTY && !log.json;
  const kept = token === undefined ? undefined : handOver(token, dataDir, isShown, tokenCommand(orgId));
  const announcement = { url, referencePath: REFERENCE_PATH, orgId, kept, problem };
  const about = { now: new Date(), version: VERSION };
  process.stdout.write(log.json ? announcementLine(announcement, about) : announcementOf(announcement));
}
