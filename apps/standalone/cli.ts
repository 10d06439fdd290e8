#!/usr/bin/env node
import { nodeFault } from './node-version.js';

const fault = nodeFault(process.version);
if (fault === undefined) {
  await import('./run-cli.js');
} else {
  // Before anything is loaded that an older Node.js cannot read.
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
