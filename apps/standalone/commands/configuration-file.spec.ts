import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configurationText, readConfigurationFile } from './configuration-file.js';

/** Texts that YAML could read as another type, or writes over several lines. */
const AWKWARD = [
  'yes',
  'null',
  '~',
  '1e3',
  '0x1f',
  '007',
  '2026-11-20',
  ' a ',
  'a: b',
  '# a',
  '"a',
  "'",
  '',
  '*',
  '&a',
];
const LONG = [
  'a\nb\n',
  '\n\n',
  'tab\there',
  'x'.repeat(300),
  'line\r\nend',
  '\u00fc\u2028\u{1f600}',
  '- a',
  '<<',
  '---\n',
];

describe('a configuration file', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'governance-file-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function read(text: string, env: NodeJS.ProcessEnv = {}) {
    const path = join(folder, 'governance.yaml');
    writeFileSync(path, text);
    return readConfigurationFile(path, env);
  }

  it('has every text unchanged after it is written and read, and gives the same file again', () => {
    const texts = [...AWKWARD, ...LONG];
    const document = {
      version: 1,
      policies: texts.map(name => ({ name, conditions: { [name]: { in: [name, 1.5] } } })),
    };
    const text = configurationText(document);
    expect(read(text)).toEqual({ document, notes: [] });
    expect(configurationText(Object(read(text).document))).toBe(text);
  });

  it('gets secrets from the environment and from files, whose paths are relative to the configuration file', () => {
    writeFileSync(join(folder, 'password'), 'from a file\r\n');
    const text = `
connectors:
  - name: Desk
    secrets: { username: { env: DESK_USER }, password: { file: password }, key: as it is }
`;
    expect(read(text, { DESK_USER: 'from the environment' })).toEqual({
      document: {
        connectors: [
          { name: 'Desk', secrets: { username: 'from the environment', password: 'from a file', key: 'as it is' } },
        ],
      },
      notes: [],
    });
  });

  it('keeps a reference without a value, and a note names its object', () => {
    const text = `
connectors: [{ name: Desk, secrets: { username: { env: DESK_USER }, password: { file: gone } } }]
chat_workspaces: [{ platform: slack, workspace: T1, secrets: { signing_secret: { env: SLACK_SECRET } } }]
`;
    const { document, notes } = read(text, { DESK_USER: '' });
    expect(document).toMatchObject({
      connectors: [{ secrets: { username: { env: 'DESK_USER' }, password: { file: 'gone' } } }],
    });
    expect(notes).toEqual([
      'connectors "Desk": DESK_USER is not set; the stored username stays.',
      `connectors "Desk": ${join(folder, 'gone')} cannot be read; the stored password stays.`,
      'chat_workspaces "slack T1": SLACK_SECRET is not set; the stored signing_secret stays.',
    ]);
  });

  it('is refused with the line at which its YAML is invalid', () => {
    expect(() => read('version: 1\npolicies: [')).toThrow(/governance\.yaml: .* at line 2/);
  });
});
