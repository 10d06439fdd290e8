// Imports entry points of the built package, all in this process, and prints as JSON the libraries and packages that
// each entry point loads. Modules of bare Nest are loaded before and do not count.
import { createRequire, registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The modules that each module imports or requires, by URL. */
const imported = new Map();
const add = (from, to) => imported.set(from, (imported.get(from) ?? new Set()).add(to));

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (resolved.url.startsWith('file:')) add(context.parentURL, resolved.url);
    return resolved;
  },
});

await import('reflect-metadata');
await import('@nestjs/common');
await import('@nestjs/core');
await import('@nestjs/platform-express');
const before = new Set([...imported.values()].flatMap(urls => Array.from(urls)));

const entryPoints = process.argv.slice(2);
for (const entryPoint of entryPoints) await import(entryPoint);
// Adds the modules in the cache of `require`, because a repeated `require` does not call the hook.
for (const { filename, children } of Object.values(createRequire(import.meta.url).cache)) {
  for (const child of children) add(pathToFileURL(filename).href, pathToFileURL(child.filename).href);
}

/** Name of the library or package of a module. */
function nameOf(url) {
  const file = relative(ROOT, fileURLToPath(url));
  const [, name = file] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? /^dist\/(libs\/[^/]+)/.exec(file) ?? [];
  return name;
}

function loadedBy(entryPoint) {
  const urls = new Set([import.meta.resolve(entryPoint)]);
  for (const url of urls) {
    for (const next of imported.get(url) ?? []) if (!before.has(next)) urls.add(next);
  }
  return [...new Set([...urls].map(nameOf))];
}

process.stdout.write(JSON.stringify(Object.fromEntries(entryPoints.map(name => [name, loadedBy(name)]))));
