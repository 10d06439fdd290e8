import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Governance } from 'nest-llm-governance';
import { GovernanceTestingModule } from 'nest-llm-governance/testing';
import { ORGANIZATION } from './sessions.js';

/** An example of a gateway's test: it decides without PostgreSQL. */
async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(
    GovernanceTestingModule.forRoot({ organizations: [ORGANIZATION] }),
    { logger: ['error'] },
  );
  const request = { user_email: 'nobody@gateway.example', provider: 'openai', model: 'gpt-4o' };
  const { reason } = await app.get(Governance).decide(ORGANIZATION, request);
  await app.close();
  process.stdout.write(`${reason}\n`);
}

void main();
