// A replica that only runs ticket tasks: the module of the build without HTTP, with the clock of the test. Node runs
// this file without a build: it may contain no syntax that must be compiled.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { GovernanceModule } from 'nest-llm-governance';
import { Clock } from 'nest-llm-governance/itsm';

/** The settings of a replica, as JSON in `WORKER_SETTINGS`. */
export interface TicketWorkerSettings {
  databaseUrl: string;
  keys: string;
  /** Path of the file with the time of the test, in milliseconds since 1970. */
  clockFile: string;
  publicUrl: string;
}

// `startTicketWorker` writes these settings, so they are not validated.
const settings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '{}') as TicketWorkerSettings;

// The parent process holds the other end of this pipe, so this process ends with it.
process.stdin.on('close', () => process.exit(3)).resume();

/** A clock that stands still until the test changes it. */
class ClockOfTheTest extends Clock {
  override now(): Date {
    return new Date(Number(readFileSync(settings.clockFile, 'utf8')));
  }
}

await NestFactory.createApplicationContext(
  GovernanceModule.forRoot({
    database: { url: settings.databaseUrl, migrations: 'check' },
    keys: settings.keys,
    clock: ClockOfTheTest,
    egress: { allow: ['127.0.0.0/8'] },
    itsm: { publicUrl: settings.publicUrl, dashboardUrl: settings.publicUrl, reconcileMinutes: 60 },
    controllers: false,
  }),
  { logger: ['warn', 'error', 'fatal'], abortOnError: false },
);
process.stdout.write('ready\n');
