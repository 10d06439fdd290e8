// A replica that does background work and nothing else: the module of the build without HTTP. Node runs this file as it
// is, so that many of them start quickly; it may hold no syntax that must be translated.
// The first: nothing may have read the clock before.
import './shifted-clock.mjs';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { GovernanceModule, type SiemOptions } from 'nest-llm-governance';
import { DetectionJob } from 'nest-llm-governance/anomalies';

/** What a replica is told, as JSON in `WORKER_SETTINGS`. */
export interface WorkerSettings {
  databaseUrl: string;
  keys: string;
  /** Stands in the user agent of what this process sends: `<name>-Webhooks/1`. */
  name: string;
  concurrency: number;
  concurrencyPerWebhook: number;
  /** Looks for anomalies all the time, not every ten minutes. */
  detects?: boolean;
  /** Where it streams the audit log. Default: nowhere. */
  siem?: SiemOptions;
}

// Written by startWorker.
const settings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '{}') as WorkerSettings;

// Whoever started this process holds the other end: it does not outlive him.
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
    await new Promise(done => setTimeout(done, 20));
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
