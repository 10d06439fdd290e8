// npm starts this script through a shell. If the shell supports `exec`, this process replaces the shell and gets npm's
// signals. cmd.exe does not support `exec`, and runs the second half of the script line.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, pinnedNode, root } from './prepare.mjs';

const parent = process.ppid;
install();
build();

// Signals from the terminal reach the app directly. Signals to this process are forwarded to the app.
const app = spawn(pinnedNode, [join(root, 'dist', 'apps', 'standalone', 'main.js')], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => app.kill(signal));
app.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));

// The parent process may be killed without a signal to this process. The app and its database must not keep running
// then.
setInterval(() => process.ppid !== parent && app.kill('SIGTERM'), 1_000).unref();
