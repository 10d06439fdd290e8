// Runs a campaign: it causes random faults under load, and then compares the stored data with the answers that clients
// received. See docs/campaign.md.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, pinnedNode, root } from './prepare.mjs';

install();
build();
const campaign = spawn(
  pinnedNode,
  [
    ...['--experimental-transform-types', '--disable-warning=ExperimentalWarning'],
    ...['--import', './test/support/typescript.mjs', join('test', 'campaign', 'campaign.main.ts')],
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => campaign.kill(signal));
// The terminal sends Ctrl-C to both processes. This process waits until the campaign has ended.
process.on('SIGINT', () => undefined);
campaign.on('exit', code => process.exit(code ?? 1));
