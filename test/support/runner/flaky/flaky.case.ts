import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** The first run creates this file, so it exists only in later runs. */
const MARK = process.env['FLAKY_MARK'] ?? '';

describe('a file with a flaky test', () => {
  it('fails at first', () => {
    const isSecondRun = existsSync(MARK);
    writeFileSync(MARK, '');
    expect(isSecondRun).toBe(true);
  });

  it('passes', () => {
    expect(1).toBe(1);
  });
});
