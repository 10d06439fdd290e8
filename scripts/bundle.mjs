// Bundles the standalone app beside its files. For this machine and for images; the published package has none.
import { join } from 'node:path';
import { bundle } from './bundling.mjs';
import { root } from './prepare.mjs';

const APP = join(root, 'dist', 'apps', 'standalone');

await bundle({ 'run-cli': join(APP, 'run-cli.js'), server: join(APP, 'server.js') }, join(APP, 'bundle'), {
  cleanDir: true,
});
