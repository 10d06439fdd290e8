// A host that makes calls and forwards streams as fast as it can, and prints the answers to its callers. Node runs this
// file without a build: it may contain no syntax that must be compiled.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Governance, GovernanceModule } from 'nest-llm-governance';

/** The settings of a caller, as JSON in `CALLER_SETTINGS`. */
export interface CallerSettings {
  databaseUrl: string;
  keys: string;
  orgId: string;
  userId: string;
  /** A part of the model names of this host's calls, by which the test identifies the calls: `acme-<name>-call-<n>`. */
  name: string;
  /** Number of parallel calls, and of parallel streams. */
  callers: number;
}

// The test writes these settings, so they are not validated.
const settings = JSON.parse(process.env['CALLER_SETTINGS'] ?? '{}') as CallerSettings;
const { databaseUrl, keys, orgId, userId, name, callers } = settings;

// The parent process holds the other end of this pipe. When the parent ends, this process exits.
process.stdin.on('close', () => process.exit(3)).resume();

const app = await NestFactory.createApplicationContext(
  GovernanceModule.forRoot({ database: { url: databaseUrl, migrations: 'check' }, keys, controllers: false }),
  { logger: ['warn', 'error', 'fatal'], abortOnError: false },
);
const governance = app.get(Governance);

const CHUNK = 'x'.repeat(40);
const usage = { prompt_tokens: 10, completion_tokens: 20 };
let made = 0;

// A write to a pipe is synchronous on Linux, so a printed line reaches the parent even if this process is killed
// afterwards.
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
