// A replica of the module in a separate process. Reports its address, and ends with its parent process.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GovernanceModule } from '../../../dist/libs/governance/index.js';

const { url, listen } = JSON.parse(process.argv[2]);

class Replica {}
Module({
  imports: [
    GovernanceModule.forRoot({
      database: { url, migrations: 'check', changes: { listen } },
      keys: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      requestsPerMinute: 0,
    }),
  ],
})(Replica);
const app = await NestFactory.create(Replica, { bodyParser: false, logger: ['error'] });
await app.listen(0, '127.0.0.1');
process.on('disconnect', () => void app.close().then(() => process.exit(0)));
process.send(await app.getUrl());
