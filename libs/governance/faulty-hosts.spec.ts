import { describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { InvalidGovernanceOptionsError } from './check-options.js';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import { GovernanceModule } from './governance.module.js';
import { runMigrations } from './prepare-schema.js';
import type { ForRootAsyncOptions } from './governance.options.js';

const KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`;

describe('a host with faulty options', () => {
  const start = (module: () => ReturnType<typeof GovernanceModule.forRoot>) => {
    class Host {}
    return NestFactory.createApplicationContext(
      { module: Host, imports: [module()] },
      { logger: false, abortOnError: false },
    );
  };
  // No process listens at this address, so a host that connects before the checks fails.
  const nowhere = 'postgres://127.0.0.1:1/none';

  it('is refused before anything connects', async () => {
    const options = { database: { url: nowhere }, keys: 'k1', outbox: { worker: false } };
    await expect(start(() => GovernanceModule.forRoot(options as never))).rejects.toThrow(
      InvalidGovernanceOptionsError,
    );
  });

  it.each([
    ['returns nothing', () => undefined, 'the factory returned undefined'],
    ['returns a promise of nothing', async () => undefined, 'the factory returned undefined'],
    ['misspells an option', () => ({ database: { urll: nowhere }, keys: KEYS }), 'did you mean database.url?'],
  ])('is refused if its factory %s', async (_what, useFactory, expected) => {
    const options = { useFactory } as unknown as ForRootAsyncOptions;
    await expect(start(() => GovernanceModule.forRootAsync(options))).rejects.toThrow(expected);
  });

  it('is refused if its class has no create()', async () => {
    const options = { useClass: class {} } as unknown as ForRootAsyncOptions;
    await expect(start(() => GovernanceModule.forRootAsync(options))).rejects.toThrow(
      'useClass: lacks create(), which returns { database, keys }',
    );
  });

  it('is refused if it sets the module up twice', async () => {
    const options = { database: { url: nowhere }, keys: KEYS };
    const twice = () => ({
      module: class Twice {},
      imports: [GovernanceModule.forRoot(options), GovernanceModule.forRoot({ ...options, path: 'other' })],
    });
    await expect(start(twice)).rejects.toThrow(
      'GovernanceModule is set up 2 times in this application. Call forRoot or forRootAsync once',
    );
  });

  it('is refused without any options', async () => {
    await expect(start(() => GovernanceModule.forRoot(undefined as never))).rejects.toThrow('keys: missing.');
  });

  it('is refused before migrations connect', async () => {
    await expect(runMigrations({ url: undefined } as never)).rejects.toThrow('database.url: missing.');
  });
});

describe('a host whose implementation lacks methods', () => {
  class Half {
    find() {}
  }

  it.each([
    ['a class', { userDirectory: Half }, 'userDirectory: lacks emails(), recordActivity()'],
    ['useClass', { userDirectory: { useClass: Half } }, 'userDirectory: lacks emails(), recordActivity()'],
    ['useFactory', { clock: { useFactory: () => ({}) } }, 'clock: lacks now()'],
    [
      'a factory that returns nothing',
      { clock: { useFactory: () => undefined } },
      'clock: must be an object, and is undefined',
    ],
    ['a resolver', { principalResolver: { useFactory: () => ({}) } }, 'principalResolver: lacks resolve()'],
    ['a list of resolvers', { principalResolver: [Half] }, 'principalResolver[0]: lacks resolve()'],
    [
      'operators',
      { conditionOperators: [Half] },
      'conditionOperators[0]: lacks validateOperand(), compile(), matchesMissing()',
    ],
    [
      'ticket platforms',
      { itsmAdapters: [Half] },
      'itsmAdapters[0]: lacks origins(), render(), verify(), create(), findByKey()',
    ],
    ['chats', { chatAdapters: [{ useFactory: () => ({}) }] }, 'chatAdapters[0]: lacks isWorkspace(), '],
  ])('is refused at boot if it gives %s', async (_form, structure, fault) => {
    const database = await createMigratedDatabase();
    try {
      const options = { ...structure, database: { url: database.url }, keys: KEYS } as never;
      const start = NestFactory.createApplicationContext(GovernanceModule.forRoot(options), {
        logger: false,
        abortOnError: false,
      });
      await expect(start).rejects.toThrow(fault);
    } finally {
      await database.drop();
    }
  });
});
