// Bundles the standalone app into files beside the originals, for use on this machine and in images. The published
// package has no bundle.
import { join } from 'node:path';
import { bundle } from './bundling.mjs';
import { root } from './prepare.mjs';

const APP = join(root, 'dist', 'apps', 'standalone');

await bundle({ 'run-cli': join(APP, 'run-cli.js'), server: join(APP, 'server.js') }, join(APP, 'bundle'), {
  cleanDir: true,
});
