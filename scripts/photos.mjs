// Photographs every page of the dashboard in both themes, wide and narrow, into photos/. With --readme, two of them become
// the pictures of the README.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const PICTURES = { 'overview-light-1440.png': 'overview.png', 'usage-dark-1440.png': 'usage.png' };

const forReadme = process.argv.indexOf('--readme');
if (forReadme > 0) {
  process.argv.splice(forReadme, 1);
  process.on('exit', code => code === 0 && keep());
}
process.env.PHOTOS = '1';
process.argv.push('test/dashboard/pages.spec.ts');
await import('./test.mjs');

function keep() {
  const images = join(root, 'docs', 'images');
  mkdirSync(images, { recursive: true });
  for (const [photo, picture] of Object.entries(PICTURES)) {
    copyFileSync(join(root, 'photos', photo), join(images, picture));
  }
}
