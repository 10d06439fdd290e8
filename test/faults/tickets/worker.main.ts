// A replica that carries out tickets and nothing else: the module of the build without HTTP, with the clock of the test.
// Node runs this file as it is, so it may hold no syntax that must be translated.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { GovernanceModule } from 'nest-llm-governance';
import { Clock } from 'nest-llm-governance/itsm';

/** What a replica is told, as JSON in `WORKER_SETTINGS`. */
export interface TicketWorkerSettings {
  databaseUrl: string;
  keys: string;
  /** Holds the time of the test, in milliseconds since 1970. */
  clockFile: string;
  publicUrl: string;
}

// Written by startTicketWorker.
const settings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '{}') as TicketWorkerSettings;

// Whoever started this process holds the other end: it does not outlive him.
process.stdin.on('close', () => process.exit(3)).resume();

/** Stands still until the test moves it. */
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
    itsm: { publicUrl: settings.publicUrl, reconcileMinutes: 60 },
    controllers: false,
  }),
  { logger: ['warn', 'error', 'fatal'], abortOnError: false },
);
process.stdout.write('ready\n');
