import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MIN_NODE, nodeFault } from './node-version.js';

describe('the version of Node.js', () => {
  it('is at least the one in package.json', () => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ engines: { node: `>=${MIN_NODE}` } });
  });

  it.each(['v20.19.4', 'v22.18.99', '18.0.0'])('is refused with the remedy if it is %s', version => {
    expect(nodeFault(version)).toBe(
      `Node.js ${MIN_NODE} or newer is needed, and this is ${version}. Install a newer one.`,
    );
  });

  it.each(['v22.19.0', 'v22.20.1', 'v24.0.0', 'v100.0.0'])('is accepted if it is %s', version => {
    expect(nodeFault(version)).toBeUndefined();
  });
});
