import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Governance } from 'nest-llm-governance';
import { GovernanceTestingModule } from 'nest-llm-governance/testing';

/** What a test of the gateway does: it decides without PostgreSQL. */
async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(GovernanceTestingModule.forRoot(), { logger: ['error'] });
  const request = { user_email: 'nobody@gateway.example', provider: 'openai', model: 'gpt-4o' };
  const { reason } = await app.get(Governance).decide('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60', request);
  await app.close();
  process.stdout.write(`${reason}\n`);
}

void main();
