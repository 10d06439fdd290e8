// Loads modules in a worker of the tests: Node loads them, and TypeScript is compiled on the way. Packages, the
// libraries and the apps are loaded once per worker, because they have no state outside of their objects. The modules
// of a test file (the file itself, its helpers) are loaded again for each file, because they have state and register
// hooks.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const ROOT_URL = pathToFileURL(`${ROOT}/`).href;
const GLOBALS_URL = new URL('globals.mjs', import.meta.url).href;
/** The condition of package.json that selects the sources of this repository. */
const SOURCES = '@nest-llm-governance/source';
const SWC = { configFile: join(ROOT, '.swcrc'), swcrc: false };
/** Matches modules that belong to test files, by their path in the repository. */
const OF_TESTS = /^(test\/.+|apps\/examples\/.+|libs\/\w+\/testing\/.+|.+\.(spec|support))\.ts$/;
/**
 * Packages that read environment variables when they are loaded. They are loaded again for each test file, which may
 * set other values.
 */
const READ_ENVIRONMENT = /^@ai-sdk\//;

/** The number of test files that this worker has begun. */
let files = 0;

registerHooks({ resolve, load });
process.setSourceMapsEnabled(true);

/** Loads a test file and its helpers for the first time. */
export async function importTestFile(path) {
  files++;
  await import(pathToFileURL(path).href);
}

function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS_URL, shortCircuit: true };
  if (!isOurs(context.parentURL) && !isOurs(specifier)) return next(specifier, context);
  const found = locate(specifier, { ...context, conditions: [SOURCES, ...context.conditions] }, next);
  const isOfTest =
    READ_ENVIRONMENT.test(specifier) || (isOurs(found.url) && OF_TESTS.test(found.url.slice(ROOT_URL.length)));
  return isOfTest ? { ...found, url: `${found.url}?file=${files}` } : found;
}

/** Imports name the compiled file (`.js`), but most sources are TypeScript. */
function locate(specifier, context, next) {
  const source = specifier.replace(/^(\..*)\.js$/, '$1.ts');
  try {
    return next(source, context);
  } catch (error) {
    if (source === specifier || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return next(specifier, context);
  }
}

function load(url, context, next) {
  const [file] = url.split('?');
  if (!isOurs(file) || !file.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(file);
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...SWC, filename });
  return { format: 'module', source: code, shortCircuit: true };
}

/** Node loads packages and the build in its usual way. */
function isOurs(url) {
  if (!url?.startsWith(ROOT_URL)) return false;
  return !url.includes('/node_modules/') && !url.startsWith(`${ROOT_URL}dist/`);
}
