import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PACKAGE_VERSION } from './package-version.js';

describe('PACKAGE_VERSION', () => {
  it('is the version of package.json', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(PACKAGE_VERSION).toBe(version);
  });
});
