import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { envExample, settingsPage } from './settings-reference.js';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the settings of the app', () => {
  it.each([
    ['docs/settings.md', settingsPage],
    ['.env.example', envExample],
  ] as const)('are the same in %s and in the code (npm run docs:reference writes it)', (file, write) => {
    const path = join(ROOT, file);
    if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(path, write());
    expect(readFileSync(path, 'utf8')).toBe(write());
  });

  it('all have a description and a default', () => {
    const rows = settingsPage()
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split(/(?<!\\)\|/).map(cell => cell.trim()));
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter(([, variable, , meaning, fallback]) => !variable || !meaning || !fallback)).toEqual([]);
  });
});
