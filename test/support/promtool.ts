import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'promtool');

/**
 * The path of `promtool`: installed, or unpacked from the Debian package `prometheus`.
 *
 * @throws Error if it is not installed and cannot be downloaded
 */
export function promtool(): string {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool';
  const unpacked = join(CACHE, 'usr', 'bin', 'promtool');
  if (existsSync(unpacked)) return unpacked;
  try {
    mkdirSync(CACHE, { recursive: true });
    const run = (command: string, ...args: string[]): unknown =>
      execFileSync(command, args, { cwd: CACHE, stdio: 'pipe', timeout: 150_000 });
    if (spawnSync('apt-get', ['download', 'prometheus'], { cwd: CACHE, timeout: 150_000 }).status !== 0) {
      run('apt-get', 'update', '-qq');
      run('apt-get', 'download', 'prometheus');
    }
    const packed = readdirSync(CACHE).find(name => name.endsWith('.deb'));
    if (packed === undefined) throw new Error('apt-get has downloaded nothing');
    run('dpkg', '--extract', packed, CACHE);
    rmSync(join(CACHE, packed));
    return unpacked;
  } catch (error) {
    throw new Error('The rules of alerts are checked by promtool: install the package prometheus.', { cause: error });
  }
}
