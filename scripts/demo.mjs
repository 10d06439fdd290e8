// Runs the demo in apps/demo on this machine, without a build.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, pinnedNode, root } from './prepare.mjs';

install();
build();
const demo = spawn(
  pinnedNode,
  [
    ...['--experimental-transform-types', '--disable-warning=ExperimentalWarning'],
    ...['--import', './test/support/typescript.mjs', join('apps', 'demo', 'main.ts')],
  ],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => demo.kill(signal));
// The terminal sends Ctrl-C to both processes. This one waits for the other to end.
process.on('SIGINT', () => undefined);
demo.on('exit', code => process.exit(code ?? 1));
