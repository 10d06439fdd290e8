import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handOver } from './first-token.js';

const TOKEN = 'gov_not-a-real-token';

describe('the first admin token', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'governance-token-'));
  });

  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is shown, and stored nowhere, if standard output is a terminal', () => {
    expect(handOver(TOKEN, join(dataDir, 'unmade'), true, 'token create --role admin').shown).toBe(TOKEN);
    expect(() => statSync(join(dataDir, 'unmade'))).toThrow(/ENOENT/);
  });

  it('is written to a file of mode 0600, which is named, if standard output is not a terminal', () => {
    const folder = join(dataDir, 'made', 'here');
    const { shown, hint, file: named } = handOver(TOKEN, folder, false, 'token create --role admin');
    const file = join(folder, 'admin-token');
    expect(named).toBe(file);
    expect(shown).toBe(`in the file ${file}`);
    expect(shown + hint).not.toContain(TOKEN);
    expect(readFileSync(file, 'utf8')).toBe(`${TOKEN}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('replaces an existing file, and does not follow a link', () => {
    const [file, elsewhere] = [join(dataDir, 'admin-token'), join(dataDir, 'elsewhere')];
    writeFileSync(elsewhere, 'untouched', { mode: 0o644 });
    symlinkSync(elsewhere, file);
    handOver(TOKEN, dataDir, false, 'token create --role admin');
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched');
    expect(readFileSync(file, 'utf8')).toBe(`${TOKEN}\n`);
    writeFileSync(file, 'of an earlier installation', { mode: 0o644 });
    handOver(TOKEN, dataDir, false, 'token create --role admin');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is not shown if the file cannot be written, but the remedy is', () => {
    mkdirSync(join(dataDir, 'admin-token'));
    writeFileSync(join(dataDir, 'admin-token', 'in the way'), '');
    const { shown, hint } = handOver(TOKEN, dataDir, false, 'token create --role admin');
    expect(shown).toMatch(/^lost: it could not be written to a file/);
    expect(hint).toContain('token create --role admin');
    expect(shown + hint).not.toContain(TOKEN);
  });
});
