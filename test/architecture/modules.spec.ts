import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { VERSION_NEUTRAL } from '@nestjs/common';
import { MODULE_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { GOVERNANCE_ROUTE } from '#access';
import { CORE, LIBRARIES } from '../../libs/governance/composition/libraries.js';
import { HealthController } from '../../libs/governance/health/health.controller.js';

const ROOT = join(import.meta.dirname, '../..');
/** Modules that combine libraries, or that replace them in the tests of hosts. */
const COMPOSING = ['governance.module.ts', 'governance-testing.module.ts', 'core.module.ts'];

describe('a library', () => {
  it.each([...CORE, ...LIBRARIES].map(module => [module.name, module] as const))(
    '%s names its parts in `static readonly library` and nothing in its decorator',
    (_name, module) => {
      for (const key of Object.values(MODULE_METADATA)) expect(Reflect.getMetadata(key, module) ?? []).toEqual([]);
      const [file = ''] = globSync(`libs/**/${module.library.name}.module.ts`, { cwd: ROOT });
      const text = readFileSync(join(ROOT, file), 'utf8');
      expect(text).toContain(`export class ${module.name} {\n  static readonly library: Library = {`);
    },
  );

  it('has one module, and each module of libs is a library or composes libraries', () => {
    const files = globSync('libs/**/*.module.ts', { cwd: ROOT }).map(file => basename(file));
    const libraries = [...CORE, ...LIBRARIES].map(({ library }) => `${library.name}.module.ts`);
    expect(files.toSorted()).toEqual([...libraries, ...COMPOSING].toSorted());
  });
});

describe('a controller', () => {
  const controllers = [...CORE.flatMap(({ library }) => library.controllers), HealthController].concat(
    LIBRARIES.flatMap(({ library }) => library.controllers),
  );

  it.each(controllers.map(controller => [controller.name, controller] as const))(
    '%s keeps its path when the host has versioning, and isGovernanceRoute recognizes it',
    (_name, controller) => {
      expect(Reflect.getMetadata(VERSION_METADATA, controller)).toBe(VERSION_NEUTRAL);
      expect(Reflect.getMetadata(GOVERNANCE_ROUTE, controller)).toBe(true);
    },
  );
});
