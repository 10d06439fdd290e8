// Starts a minimal host in a separate process and prints its resident memory in bytes once it listens.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const [kind, url] = process.argv.slice(2);

async function governed() {
  const { GovernanceModule, PolicyModule, UsageModule } = await import('nest-llm-governance');
  // This bench sends the host no requests.
  const nobody = {
    find: async asked => asked.map(() => undefined),
    emails: async () => new Map(),
    async recordActivity() {},
  };
  return GovernanceModule.forRoot({
    ...(kind === 'metered' ? { libraries: [PolicyModule, UsageModule], userDirectory: { useValue: nobody } } : {}),
    database: { url, migrations: 'run' },
    keys: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  });
}

class Host {}
Module({ imports: kind === 'bare' ? [] : [await governed()] })(Host);
const app = await NestFactory.create(Host, { logger: ['error'] });
await app.listen(0, '127.0.0.1');
globalThis.gc?.();
process.stdout.write(`${process.memoryUsage().rss}\n`);
await app.close();
