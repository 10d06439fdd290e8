import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './cruise.js';
import { roleFaults } from './figures/roles.js';

describe('the role in a file name', () => {
  it('is one that CONTRIBUTING.md names, and matches the code of the file', () => {
    const files = globSync('libs/**/*.ts', { cwd: ROOT }).filter(file => !file.endsWith('.spec.ts'));
    expect(files.length).toBeGreaterThan(500);
    expect(roleFaults(files.map(file => ({ file, text: readFileSync(join(ROOT, file), 'utf8') })))).toEqual([]);
  });

  it('is reported if it is unknown, missing, or does not match the code', () => {
    const controller = '@GovernanceController("x")\nexport class X {}\n';
    expect(
      roleFaults([
        { file: 'libs/a/user.helper.ts', text: '' },
        { file: 'libs/a/user.controller.ts', text: '' },
        { file: 'libs/a/user.ts', text: controller },
        { file: 'libs/a/owner.controller.ts', text: controller },
        { file: 'libs/a/owner.ts', text: '' },
      ]),
    ).toEqual([
      'libs/a/user.helper.ts: "helper" is no role',
      'libs/a/user.controller.ts: is named controller, and holds none',
      'libs/a/user.ts: holds a controller, and is not named so',
    ]);
  });
});
