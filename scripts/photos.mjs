// Takes screenshots of every page, sheet, form and dialog of the dashboard in both themes, wide and narrow, into
// photos/. Starts a demo for the screenshots. Arguments select pages: `npm run photos -- overview incident`. `--look
// dark-390` selects a theme and a width. With --readme, two screenshots become the pictures of the README.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, pinnedNode, root } from './prepare.mjs';

const PICTURES = { 'overview-light-1440.png': 'overview.png', 'usage-dark-1440.png': 'usage.png' };
const TYPESCRIPT = [
  ...['--experimental-transform-types', '--disable-warning=ExperimentalWarning'],
  ...['--import', './test/support/typescript.mjs'],
];

install();
build();
const dataDir = join(root, '.data', 'photos');
const demo = spawn(pinnedNode, [...TYPESCRIPT, join('apps', 'demo', 'main.ts')], {
  cwd: root,
  env: { ...process.env, DEMO_DATA_DIR: dataDir, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise(done => demo.once('exit', done));
const origin = await readyAt();
const isForReadme = process.argv.includes('--readme');
const { status } =
  origin === undefined
    ? { status: 1 }
    : spawnSync(
        pinnedNode,
        [
          ...[...TYPESCRIPT, join('test', 'dashboard', 'screenshots', 'main.ts'), '--origin', origin],
          ...['--token', readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()],
          ...process.argv.slice(2).filter(argument => argument !== '--readme'),
        ],
        { cwd: root, stdio: 'inherit' },
      );
demo.kill('SIGTERM');
await ended;
rmSync(dataDir, { recursive: true, force: true });
if (status === 0 && isForReadme) keep();
process.exit(status ?? 1);

/** The address of the demo once it is ready; undefined if the demo ends before it is ready. */
function readyAt() {
  return new Promise(done => {
    let output = '';
    demo.stdout.on('data', chunk => {
      output += String(chunk);
      if (output.includes('Ctrl-C ends it.')) done(/Ready after \d+ s: (http:\S+)/.exec(output)?.[1]);
    });
    demo.once('exit', () => done(undefined));
  });
}

function keep() {
  const images = join(root, 'docs', 'images');
  mkdirSync(images, { recursive: true });
  for (const [photo, picture] of Object.entries(PICTURES)) {
    copyFileSync(join(root, 'photos', photo), join(images, picture));
  }
}
