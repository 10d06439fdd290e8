// Imports one entry point of the built package in a separate process and prints as JSON what it loaded. Modules of bare
// Nest are loaded before and do not count. `count` lists the modules. `measure` uses no hooks, which would cost time
// and memory.
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const [mode, entryPoint] = process.argv.slice(2);
const files = [];
if (mode === 'count') {
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) files.push(relative(ROOT, fileURLToPath(url)));
      return next(url, context);
    },
  });
}

await import('reflect-metadata');
await import('@nestjs/common');
await import('@nestjs/core');
await import('@nestjs/platform-express');
files.length = 0;
globalThis.gc?.();
const before = { ...process.memoryUsage(), cpu: process.cpuUsage() };
await import(entryPoint);
const { user, system } = process.cpuUsage(before.cpu);
globalThis.gc?.();
const after = process.memoryUsage();
const megabytes = (after.rss - before.rss) / 1e6;
// The heap after garbage collection. Resident memory also includes V8's young generation.
const heapMegabytes = (after.heapUsed - before.heapUsed) / 1e6;

const modules = {};
for (const file of files) {
  const [, name = file] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? /^dist\/(libs\/[^/]+)/.exec(file) ?? [];
  modules[name] = (modules[name] ?? 0) + 1;
}
process.stdout.write(
  `${JSON.stringify({ modules, megabytes, heapMegabytes, cpuMilliseconds: (user + system) / 1e3 })}\n`,
);
