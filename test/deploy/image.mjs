// Builds the image from the Containerfile and boots it as the user of the image, with its own PostgreSQL. Needs root,
// buildah and debootstrap (Debian packages) and some minutes. Uses no container engine. Run by `npm run image:check`.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/standalone/embedded-postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const BASE = 'localhost/node:check';
const IMAGE = 'localhost/nest-llm-governance:check';
const PORT = 39_000 + Math.floor(Math.random() * 1_000);
const READY_MS = 120_000;

const run = (command, ...args) =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
const buildah = (...args) => run('buildah', ...args).trim();

/** A base image with Debian, this machine's npm and the pinned Node, for machines that cannot pull images. */
function makeBase(folder) {
  if (buildah('images', '--quiet', '--filter', `reference=${BASE}`) !== '') return;
  const system = join(folder, 'system');
  run('debootstrap', '--variant=minbase', '--include=libstdc++6,ca-certificates', 'bookworm', system);
  const local = join(system, 'usr/local');
  cpSync(join(ROOT, 'node_modules/node/bin/node'), join(local, 'bin/node'));
  const npm = dirname(dirname(realpathSync(run('which', 'npm').trim())));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  // Copies this machine's certificate authorities, because a proxy may use its own authority.
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  cpSync(join('/', certificates), join(system, certificates));
  mkdirSync(join(local, 'etc'), { recursive: true });
  writeFileSync(join(local, 'etc/npmrc'), `cafile=/${certificates}\n`);
  const container = buildah('from', 'scratch');
  buildah('add', '--quiet', container, system, '/');
  buildah('commit', '--quiet', '--rm', container, BASE);
}

function buildImage(folder) {
  // The files of a clean clone, without untracked files of this folder.
  const clone = join(folder, 'clone');
  run('git', 'clone', '--quiet', '--no-hardlinks', ROOT, clone);
  const npmrc = join(homedir(), '.npmrc');
  const settings = existsSync(npmrc) ? [`--volume=${npmrc}:/root/.npmrc:ro`] : [];
  const options = [
    '--isolation=chroot',
    '--network=host',
    '--format=docker',
    '--quiet',
    `--build-arg=NODE_IMAGE=${BASE}`,
    ...settings,
  ];
  buildah('build', ...options, `--file=${join(clone, 'deploy/Containerfile')}`, `--tag=${IMAGE}`, clone);
}

/**
 * Starts the image with its own command. When the app is ready, resolves with its answer and with the users as which
 * its processes run.
 */
async function boot(databaseUrl) {
  const container = buildah('from', '--pull-never', IMAGE);
  const settings = { DATABASE_URL: databaseUrl, PORT: String(PORT), GOVERNANCE_KEYS: `k1:${'A'.repeat(43)}=` };
  const variables = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const { OCIv1: image } = JSON.parse(buildah('inspect', '--type=image', IMAGE));
  const command = [...image.config.Entrypoint, ...image.config.Cmd];
  const options = ['--isolation=chroot', '--network=host', `--user=${image.config.User}`, ...variables];
  const app = spawn('buildah', ['run', ...options, container, '--', ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [app.stdout, app.stderr]) stream.on('data', chunk => (output += chunk));
  try {
    const until = Date.now() + READY_MS;
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${PORT}/health/ready`).catch(() => undefined);
      if (answer?.ok) break;
      if (app.exitCode !== null || Date.now() > until) throw new Error(`the image did not become ready:\n${output}`);
      await new Promise(done => setTimeout(done, 200));
    }
    const page = await fetch(`http://127.0.0.1:${PORT}/`);
    const pids = run('pgrep', '-f', image.config.Entrypoint.join(' ')).trim().split('\n');
    const users = pids.map(pid => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    return { page: page.status, users, output };
  } finally {
    const ended = app.exitCode === null ? new Promise(done => app.once('exit', done)) : undefined;
    // Signals the app itself, because buildah does not forward signals.
    for (const pid of run('pgrep', '-f', `PORT=${PORT}|${image.config.Entrypoint.join(' ')}`)
      .trim()
      .split('\n')) {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PORT=${PORT}\0`)) process.kill(Number(pid), 'SIGTERM');
    }
    await ended;
    buildah('rm', container);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'governance-image-'));
// Under root, PostgreSQL runs as another user, who needs access to this folder.
chmodSync(folder, 0o711);
mkdirSync(join(folder, 'data'));
makeBase(folder);
buildImage(folder);
const database = await startEmbeddedPostgres(join(folder, 'data'), { durable: false });
try {
  const { page, users } = await boot(database.url);
  if (page !== 200) throw new Error(`the page answers ${page}`);
  if (!users.includes('10001') || users.length === 0) throw new Error(`the app runs as ${users.join()}`);
  console.log(`The image boots as user 10001, is ready, and serves the page. Size: ${sizeOf()}`);
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

function sizeOf() {
  return buildah('images', '--format={{.Size}}', IMAGE);
}
