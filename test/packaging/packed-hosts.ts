import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { COMPILE_CACHE } from '../support/compile-cache.js';
import { installPacked, ROOT, run, type Outcome, type PackedHost } from './packed-host.js';

/** The sources of the hosts, and packages that this repository does not use. */
const HOSTS = join(ROOT, 'test/hosts');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Installs the packed package once for all hosts, together with their packages, and copies their sources. */
export async function installHosts(): Promise<PackedHost> {
  const packages = join(HOSTS, 'node_modules');
  if (!existsSync(packages)) throw new Error('The packages of test/hosts are missing: run npm ci --prefix test/hosts.');
  const host = await installPacked();
  const link = (name: string, from: string, into = host.folder): void => {
    const place = join(into, 'node_modules', name);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(from, name), place);
  };
  for (const name of ['@nestjs/platform-express', '@nestjs/platform-fastify', '@types/pg']) {
    link(name, join(ROOT, 'node_modules'));
  }
  // The store has another MikroORM version. The package therefore gets a nested MikroORM, as npm would install it.
  for (const name of ['core', 'decorators', 'migrations', 'postgresql']) {
    link(`@mikro-orm/${name}`, join(ROOT, 'node_modules'), host.installed);
  }
  for (const name of ['core', 'postgresql']) link(`@mikro-orm/${name}`, packages);
  // Copies the package, because a link would use the copy of Nest that is beside the target of the link.
  cpSync(join(packages, '@nestjs/throttler'), join(host.folder, 'node_modules/@nestjs/throttler'), { recursive: true });
  cpSync(join(HOSTS, 'packed'), host.folder, { recursive: true });
  return host;
}

/** Compiles all hosts, each in the module format of its package.json. */
export async function compileHosts({ folder }: PackedHost): Promise<Outcome> {
  const outcome = await run(process.execPath, [TSC, '-p', '.'], folder);
  for (const name of ['store', 'gateway', 'meter']) {
    cpSync(join(folder, name, 'package.json'), join(folder, 'dist', name, 'package.json'));
  }
  return outcome;
}

/** A running host process. */
export interface HostProcess {
  /** The line that the host prints when it listens. */
  readonly ready: { url: string; [more: string]: unknown };
  end(): Promise<{ code: number | null; output: string }>;
}

/**
 * Starts a compiled host and waits until it listens.
 * @throws Error with the output of the host if the host ends first
 */
export function startHost({ folder }: PackedHost, name: string, env: Record<string, string>): Promise<HostProcess> {
  const child = spawn(process.execPath, ['--no-warnings', join('dist', name, 'main.js')], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE, ...env },
  });
  let output = '';
  const ended = new Promise<{ code: number | null; output: string }>(done => {
    child.once('close', code => done({ code, output }));
  });
  return new Promise((done, fail) => {
    const listen = (chunk: unknown): void => {
      output += String(chunk);
      const [, told] = /^ready (.+)\n/m.exec(output) ?? [];
      if (told === undefined) return;
      // The test's own host writes this line, so it is not validated.
      const ready = JSON.parse(told) as HostProcess['ready'];
      done({
        ready,
        end: () => {
          child.kill('SIGTERM');
          return ended;
        },
      });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    void ended.then(({ code }) => fail(new Error(`${name} ended with ${code}: ${output}`)));
  });
}

/** Sends a raw request and returns every byte of the answer. */
export function exchange(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on('data', chunk => chunks.push(chunk));
    socket.on('error', fail);
    socket.on('close', () => done(Buffer.concat(chunks).toString('latin1')));
  });
}

/** A request as {@link exchange} sends it. */
export function request(method: string, path: string, headers: Record<string, string> = {}, body = ''): string {
  const lines = Object.entries({
    host: 'host.example',
    connection: 'close',
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
