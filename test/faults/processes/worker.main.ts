// A replica that only does background work: the module of the build without HTTP. Node runs this file without a build,
// so that many of them start quickly; it may contain no syntax that must be compiled. The import of the shifted clock
// comes first, because no code may read the clock before it.
import './shifted-clock.mjs';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { GovernanceModule, type SiemOptions } from 'nest-llm-governance';
import { DetectionJob } from 'nest-llm-governance/anomalies';

/** The settings of a replica, as JSON in `WORKER_SETTINGS`. */
export interface WorkerSettings {
  databaseUrl: string;
  keys: string;
  /** Part of the user agent of the replica's requests: `<name>-Webhooks/1`. */
  name: string;
  concurrency: number;
  concurrencyPerWebhook: number;
  /** Whether the replica detects anomalies continuously, instead of every ten minutes. */
  detects?: boolean;
  /** The target of the replica's audit log stream. Default: none. */
  siem?: SiemOptions;
}

// `startWorker` writes these settings, so they are not validated.
const settings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '{}') as WorkerSettings;

// The parent process holds the other end of this pipe, so this process ends with it.
process.stdin.on('close', () => process.exit(3)).resume();

const app = await NestFactory.createApplicationContext(
  GovernanceModule.forRoot({
    database: { url: settings.databaseUrl, migrations: 'check' },
    keys: settings.keys,
    egress: { allow: ['127.0.0.0/8'] },
    webhooks: {
      serviceName: settings.name,
      concurrency: settings.concurrency,
      concurrencyPerWebhook: settings.concurrencyPerWebhook,
    },
    ...(settings.siem && { siem: settings.siem }),
    controllers: false,
  }),
  { logger: ['warn', 'error', 'fatal'], abortOnError: false },
);

const job = app.get(DetectionJob, { strict: false });
async function detect(): Promise<void> {
  for (;;) {
    await job.detect();
    await new Promise(done => setTimeout(done, 100));
  }
}
if (settings.detects) void detect();

process.once('SIGTERM', () => {
  const end = async (): Promise<void> => {
    await app.close();
    process.exit(0);
  };
  void end();
});
process.stdout.write('ready\n');
