import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { startEmbeddedPostgres } from '../../../dist/apps/standalone/embedded-postgres.js';
import { ErrorFilter, GovernanceModule, GovernanceOperations } from '../../../dist/libs/governance/index.js';

/** A durable PostgreSQL for one benchmark, with the settings of the bundled app. */
export async function startDatabase(flags = []) {
  const folder = mkdtempSync(join(tmpdir(), 'governance-bench-'));
  const server = await startEmbeddedPostgres(folder, { flags });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The module in a Nest application. With `listen` false, the application provides only its services. */
export async function startApp(url, { listen = true, ...options } = {}) {
  class BenchHost {}
  Module({
    imports: [
      GovernanceModule.forRoot({
        database: { url, migrations: 'run', poolSize: 10 },
        keys: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
        ...options,
      }),
    ],
  })(BenchHost);
  const app = await NestFactory.create(BenchHost, { bodyParser: false, logger: ['error'] });
  app.disable('etag'); // like the bundled app
  app.useGlobalFilters(new ErrorFilter());
  if (listen) await app.listen(0, '127.0.0.1');
  else await app.init();
  const { orgId, token } = await app.get(GovernanceOperations).createOrganization('Bench');
  return { app, orgId, token, url: listen ? await app.getUrl() : undefined, stop: () => app.close() };
}

/** Calls the API and throws on an error status. */
export async function call(url, token, method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The given percentile. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
