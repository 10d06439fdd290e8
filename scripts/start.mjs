import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, pinnedNode, root } from './prepare.mjs';

install();
build();

// Signals of the terminal reach the app directly; those sent to this process are passed on.
const app = spawn(pinnedNode, [join(root, 'dist', 'apps', 'standalone', 'main.js')], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => app.kill(signal));
app.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
