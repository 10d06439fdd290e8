// Writes libs/client/operations.ts, the types and operations of the client, from the OpenAPI document of the sources.
// Does nothing if the file has its committed hash. Needs neither a build nor a database.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isClientCurrent, operationsFile } from './prepare.mjs';

/** The condition of package.json that selects the sources of this repository. */
const SOURCES = '@nest-llm-governance/source';

if (!isClientCurrent()) await write();

async function write() {
  await loadSources();
  const { readOpenApiDocument } = await import('./client/openapi.ts');
  const { operationsSource } = await import('./client/operations-source.ts');
  const text = operationsSource(await readOpenApiDocument());
  // Renamed when complete, because other processes may read the file meanwhile.
  const unfinished = `${operationsFile}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, operationsFile);
}

/** Lets Node load the sources, whose decorators must be compiled. Imports name the compiled file (`.js`). */
async function loadSources() {
  const { transformSync } = await import('@swc/core');
  registerHooks({
    resolve(specifier, context, next) {
      const conditions = [SOURCES, ...context.conditions];
      const isOurs = /^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts');
      return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, { ...context, conditions });
    },
    load(url, context, next) {
      if (!url.endsWith('.ts')) return next(url, context);
      const filename = fileURLToPath(url);
      const { code } = transformSync(readFileSync(filename, 'utf8'), { filename });
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
}
