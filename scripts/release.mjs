// Freezes the migrations of the version in package.json: from then on, a test fails if they are changed. Stores a
// database of this version: from then on, a test upgrades it. Publishes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const chapter = new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`, 'm');
if (!chapter.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))) {
  process.stderr.write(`CHANGELOG.md needs a chapter "## ${version} - YYYY-MM-DD" first; rename "## Unreleased".\n`);
  process.exit(1);
}
process.env.RELEASE_VERSION = version;
process.argv.push('test/release');
await import('./test.mjs');
