// Imports one door of the built package in a process of its own and prints as JSON what that loaded. Bare Nest, which every
// host has loaded before, does not count. `count` lists the modules; `measure` has no hooks that would cost time and memory.
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const [mode, door] = process.argv.slice(2);
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
await import(door);
const { user, system } = process.cpuUsage(before.cpu);
globalThis.gc?.();
const after = process.memoryUsage();
const megabytes = (after.rss - before.rss) / 1e6;
// What the garbage collector leaves: resident memory counts the room for young objects too, which V8 keeps.
const heapMegabytes = (after.heapUsed - before.heapUsed) / 1e6;

const modules = {};
for (const file of files) {
  const [, name = file] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? /^dist\/(libs\/[^/]+)/.exec(file) ?? [];
  modules[name] = (modules[name] ?? 0) + 1;
}
process.stdout.write(
  `${JSON.stringify({ modules, megabytes, heapMegabytes, cpuMilliseconds: (user + system) / 1e3 })}\n`,
);
