// Started by npm through a shell. Where the shell knows `exec`, this process takes its place and gets the signals that npm
// passes on; cmd.exe does not know it and runs the second half of the script line.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, pinnedNode, root } from './prepare.mjs';

const parent = process.ppid;
install();
build();

// Signals of the terminal reach the app directly; those sent to this process are passed on.
const app = spawn(pinnedNode, [join(root, 'dist', 'apps', 'standalone', 'main.js')], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => app.kill(signal));
app.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));

// Whoever started this may be killed without a word; the app and its database must not stay behind.
setInterval(() => process.ppid !== parent && app.kill('SIGTERM'), 1_000).unref();
