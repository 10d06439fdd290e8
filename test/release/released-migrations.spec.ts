import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MIGRATIONS } from '#governance';
import { changesSince, checksumsOf, type Checksums } from './released-migrations.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** Written by `npm run release` for each version, and never changed by hand. */
const FILE = join(ROOT, 'libs', 'governance', 'migrations', 'released.json');
const RELEASE = process.env['RELEASE_VERSION'];

const read = (): Record<string, Checksums> => JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Checksums>;

describe('the migrations of released versions', () => {
  it('equal their released form', async () => {
    const now = await checksumsOf(MIGRATIONS);
    expect(changesSince(read(), now)).toEqual([]);
    if (RELEASE !== undefined) writeFileSync(FILE, `${JSON.stringify({ ...read(), [RELEASE]: now }, null, 2)}\n`);
  });

  it('are reported if they are changed, renamed or missing', async () => {
    const now = await checksumsOf(MIGRATIONS.slice(0, 2));
    const [first = '', second = ''] = Object.keys(now);
    expect(changesSince({ '0.1.0': now }, now)).toEqual([]);
    expect(changesSince({ '0.1.0': { ...now, [first]: 'other' } }, now)).toEqual([
      expect.stringMatching(new RegExp(`^${first} has other statements since 0\\.1\\.0`)),
    ]);
    const { [second]: _renamed, ...left } = now;
    expect(changesSince({ '0.1.0': now }, left)).toEqual([expect.stringMatching(`${second} is gone`)]);
  });

  it('have checksums of their statements alone', async () => {
    const [one, two] = [await checksumsOf(MIGRATIONS), await checksumsOf(MIGRATIONS)];
    expect(one).toEqual(two);
    expect(Object.keys(one)).toHaveLength(MIGRATIONS.length);
  });
});

describe('the change log', () => {
  it('has a section for the version of package.json, or one for unreleased changes', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const chapters = [...readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').matchAll(/^## (\S+)/gm)].map(
      ([, name]) => name,
    );
    expect(chapters.some(name => name === 'Unreleased' || name === version)).toBe(true);
    for (const released of Object.keys(read())) expect(chapters).toContain(released);
  });
});
