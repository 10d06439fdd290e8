// A host that makes calls and passes streams on, as fast as it can, and prints what its callers were answered. Node runs
// this file as it is: it may hold no syntax that must be translated.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Governance, GovernanceModule } from 'nest-llm-governance';

/** What a caller is told, as JSON in `CALLER_SETTINGS`. */
export interface CallerSettings {
  databaseUrl: string;
  keys: string;
  orgId: string;
  userId: string;
  /** Stands in the models of its calls, by which the test knows them: `acme-<name>-call-<n>`. */
  name: string;
  /** Calls at a time, and as many streams. */
  callers: number;
}

// Written by the test.
const settings = JSON.parse(process.env['CALLER_SETTINGS'] ?? '{}') as CallerSettings;
const { databaseUrl, keys, orgId, userId, name, callers } = settings;

// Whoever started this process holds the other end: it does not outlive him.
process.stdin.on('close', () => process.exit(3)).resume();

const app = await NestFactory.createApplicationContext(
  GovernanceModule.forRoot({ database: { url: databaseUrl, migrations: 'check' }, keys, controllers: false }),
  { logger: ['warn', 'error', 'fatal'], abortOnError: false },
);
const governance = app.get(Governance);

const CHUNK = 'x'.repeat(40);
const usage = { prompt_tokens: 10, completion_tokens: 20 };
let made = 0;

// What is printed has reached the caller: on Linux, writing to a pipe does not return before.
const tell = (line: string): boolean => process.stdout.write(`${line}\n`);
const soon = (): Promise<void> => new Promise(done => setTimeout(done, Math.random() * 4));

async function call(): Promise<void> {
  const model = `acme-${name}-call-${made++}`;
  const run = async () => {
    await soon();
    return { id: `answer ${model}`, model, usage };
  };
  await governance.call(orgId, { user_id: userId, provider: 'acme', model, max_output_tokens: 100 }, { run });
  tell(`answered ${model}`);
}

async function* chunksOf(model: string): AsyncGenerator<string | { id: string; usage: object }> {
  for (let n = 0; n < 60; n++) {
    if (n % 4 === 0) await soon();
    yield CHUNK;
  }
  yield { id: `answer ${model}`, usage: { prompt_tokens: 10, completion_tokens: 600 } };
}

async function stream(): Promise<void> {
  const model = `acme-${name}-stream-${made++}`;
  const decision = await governance.decide(orgId, { user_id: userId, provider: 'acme', model, max_output_tokens: 900 });
  const textOf = (chunk: unknown): string => (typeof chunk === 'string' ? chunk : '');
  let passed = 0;
  for await (const chunk of governance.meterStream(orgId, decision, chunksOf(model), { textOf })) {
    if (typeof chunk === 'string') tell(`passed ${model} ${(passed += 10)}`);
  }
  tell(`ended ${model}`);
}

process.stdout.write('ready\n');
for (const work of [call, stream]) {
  for (let n = 0; n < callers; n++) {
    const forever = async (): Promise<void> => {
      for (;;) await work();
    };
    forever().catch((error: unknown) => tell(`failed ${String(error)}`));
  }
}
