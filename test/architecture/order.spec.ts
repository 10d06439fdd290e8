import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './cruise.js';

/** The exports of `.dependency-cruiser.mjs` that this test reads. */
interface Rules {
  MAY_KNOW: Record<string, readonly string[]>;
  DECISION_LAYERS: Record<string, readonly string[]>;
}

async function rules(): Promise<Rules> {
  // The configuration is plain JavaScript, without types.
  return (await import(pathToFileURL(join(ROOT, '.dependency-cruiser.mjs')).href)) as Rules;
}

/** The libraries in lines, the highest first. Each library may import only libraries of lines below its own. */
function linesOf(known: Rules['MAY_KNOW']): string[] {
  const heightOf = (library: string): number => 1 + Math.max(-1, ...(known[library] ?? []).map(heightOf));
  const lines = Map.groupBy(Object.keys(known), heightOf);
  return [...lines.keys()].sort((a, b) => b - a).map(height => (lines.get(height) ?? []).toSorted().join(', '));
}

describe('the order of the libraries', () => {
  it('is the same in CONTRIBUTING.md and in the check', async () => {
    const { MAY_KNOW } = await rules();
    const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    expect(/^```text\n([\s\S]*?)```$/m.exec(guide)?.[1]?.trim().split('\n')).toEqual(linesOf(MAY_KNOW));
  });

  it('lists a library above all libraries that it imports', () => {
    expect(linesOf({ a: [], b: ['a'], c: ['a'], d: ['a', 'c'] })).toEqual(['d', 'b, c', 'a']);
  });
});

describe('the folders of decisions', () => {
  it('are all checked: every folder named decide is in the list', async () => {
    const { DECISION_LAYERS } = await rules();
    const folders = new Set(globSync('libs/**/decide/*.ts', { cwd: ROOT }).map(file => dirname(file)));
    expect(folders.size).toBeGreaterThan(2);
    expect([...folders].filter(folder => !Object.hasOwn(DECISION_LAYERS, folder))).toEqual([]);
  });

  it('exist', async () => {
    const { DECISION_LAYERS } = await rules();
    const missing = Object.keys(DECISION_LAYERS).filter(
      folder => globSync(`${folder}/*.ts`, { cwd: ROOT }).length === 0,
    );
    expect(missing).toEqual([]);
  });
});
