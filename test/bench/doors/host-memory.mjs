// Starts a minimal host in a process of its own and prints its resident memory, in bytes, once it listens.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const [kind, url] = process.argv.slice(2);

async function governed() {
  const { GovernanceModule, PolicyModule, UsageModule, UsersModule } = await import('nest-llm-governance');
  return GovernanceModule.forRoot({
    ...(kind === 'metered' ? { libraries: [PolicyModule, UsageModule, UsersModule] } : {}),
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
