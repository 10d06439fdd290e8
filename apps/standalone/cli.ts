#!/usr/bin/env node
import { bundled } from './bundle.js';
import { nodeFault } from './node-version.js';

const fault = nodeFault(process.version);
if (fault === undefined) {
  const bundle = bundled('run-cli');
  await (bundle === undefined ? import('./run-cli.js') : import(bundle));
} else {
  // Reports the fault before a module is loaded whose syntax an older Node.js cannot parse.
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
