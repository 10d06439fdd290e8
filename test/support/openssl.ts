import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The working folder of the commands. */
export interface OpenSsl {
  readonly folder: string;
  /**
   * Runs the command and returns its output.
   *
   * @throws if it fails
   */
  run(...parameters: readonly string[]): string;
  /** Runs the command and returns its exit code and output. */
  attempt(...parameters: readonly string[]): { code: number | null; text: string };
  write(file: string, content: string | Buffer): string;
  read(file: string): Buffer;
  /** Creates a key in `<name>.key`, and returns a certificate request for this key. */
  request(name: string, newKey?: readonly string[], more?: readonly string[]): string;
  remove(): void;
}

const P256 = ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/**
 * Creates a folder for the command.
 *
 * @throws if openssl is missing or older than version 3
 */
export function openSsl(): OpenSsl {
  const { stdout } = spawnSync('openssl', ['version'], { encoding: 'utf8' });
  if (!/^OpenSSL ([3-9]|\d\d)/.test(stdout ?? '')) {
    throw new Error('These tests need the command openssl, version 3 or newer: install it, and run them again.');
  }
  const folder = mkdtempSync(join(tmpdir(), 'openssl-'));
  const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe'];
  const options = { cwd: folder, encoding: 'utf8' as const, stdio, maxBuffer: 64 * 1024 * 1024 };
  const write = (file: string, content: string | Buffer): string => {
    writeFileSync(join(folder, file), content);
    return file;
  };
  const run = (...parameters: readonly string[]): string => execFileSync('openssl', parameters, options);
  return {
    folder,
    run,
    attempt(...parameters) {
      const { status, stdout, stderr } = spawnSync('openssl', parameters, options);
      return { code: status, text: stdout + stderr };
    },
    write,
    read: file => readFileSync(join(folder, file)),
    request(name, newKey = P256, more = []) {
      run(...newKey, '-out', `${name}.key`);
      return run('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, ...more);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
