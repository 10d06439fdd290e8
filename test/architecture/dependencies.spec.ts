import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyProject, cruise, violationsOf, type Cruise } from './cruise.js';

interface Violation {
  rule: string;
  file: string;
  code: string;
  /** Further files that the violation consists of. */
  beside?: Record<string, string>;
}

const VIOLATIONS: Violation[] = [
  {
    rule: 'in-memory-for-tests-of-hosts-only',
    file: 'libs/policy/planted-memory.ts',
    code: "export { policyInMemory } from './in-memory/index.js';",
  },
  {
    rule: 'core-knows-only-itself',
    file: 'libs/core/planted-database.ts',
    code: `import { OrgDatabase } from '#database'; export const planted = OrgDatabase;`,
  },
  {
    rule: 'core-knows-no-package',
    file: 'libs/core/planted-nest.ts',
    code: `import { Injectable } from '@nestjs/common'; export const planted = Injectable;`,
  },
  {
    rule: 'core-knows-no-package',
    file: 'libs/core/planted-type.ts',
    code: `import type { EntityManager } from '@mikro-orm/postgresql'; export type Planted = EntityManager;`,
  },
  {
    rule: 'access-knows-only-what-is-below',
    file: 'libs/access/planted.ts',
    code: `import { PolicyModule } from '#policy'; export const planted = PolicyModule;`,
  },
  {
    rule: 'policy-knows-only-what-is-below',
    file: 'libs/policy/planted.ts',
    code: `import { UsageModule } from '#usage'; export const planted = UsageModule;`,
  },
  {
    rule: 'policy-decisions-knows-only-what-is-below',
    file: 'libs/policy/decisions/planted.ts',
    code: `import { Approval } from '../approvals/approval.entity.js'; export const planted = Approval;`,
  },
  {
    rule: 'policy-records-knows-only-what-is-below',
    file: 'libs/policy/records/planted.ts',
    code: `import type { Judgement } from '../decisions/judge.js'; export type Planted = Judgement;`,
  },
  {
    rule: 'users-knows-only-what-is-below',
    file: 'libs/users/planted.ts',
    code: `import { GovernanceModule } from 'nest-llm-governance'; export const planted = GovernanceModule;`,
  },
  {
    rule: 'every-library-is-in-the-table',
    file: 'libs/planted/index.ts',
    code: `import { Clock } from '#core'; export const planted = Clock;`,
  },
  {
    rule: 'libraries-only-by-their-entry-point',
    file: 'libs/usage/planted-deep.ts',
    code: `import { Clock } from '../core/clock.js'; export const planted = Clock;`,
  },
  {
    rule: 'entry-points-are-not-relative',
    file: 'libs/usage/planted-relative.ts',
    code: `import { Clock } from '../core/index.js'; export const planted = Clock;`,
  },
  {
    rule: 'policy-decide-decides-without-a-process',
    file: 'libs/policy/decide/planted.ts',
    code: `import { OrgDatabase } from '#database'; export const planted = OrgDatabase;`,
  },
  {
    rule: 'usage-prices-decides-without-a-process',
    file: 'libs/usage/prices/planted.ts',
    code: `import { readFileSync } from 'node:fs'; export const planted = readFileSync;`,
  },
  {
    rule: 'access-csv-decides-without-a-process',
    file: 'libs/access/csv/planted.ts',
    code: `import pg from 'pg'; export const planted = pg;`,
  },
  {
    rule: 'usage-periods-decides-without-a-process',
    file: 'libs/usage/periods/planted.ts',
    code: `import { parse } from 'csv-parse/sync'; export const planted = parse;`,
  },
  {
    rule: 'usage-events-decides-without-a-process',
    file: 'libs/usage/events/planted.ts',
    code: `import { Injectable } from '@nestjs/common'; export const planted = Injectable;`,
  },
  {
    rule: 'records-know-no-nest',
    file: 'libs/users/planted.entity.ts',
    code: `import { ApiProperty } from '@nestjs/swagger'; export const planted = ApiProperty;`,
  },
  {
    rule: 'no-cycle',
    file: 'libs/access/planted-egg.ts',
    code: `import { hen } from './planted-hen.js'; export const egg = hen;`,
    beside: {
      'libs/access/planted-hen.ts': `import type { egg } from './planted-egg.js'; export const hen = (): typeof egg => hen;`,
    },
  },
  {
    rule: 'apps-use-the-public-entry-points',
    file: 'apps/standalone/planted-name.ts',
    code: `import { Clock } from '#core'; export const planted = Clock;`,
  },
  {
    rule: 'apps-use-the-public-entry-points',
    file: 'apps/standalone/planted-path.ts',
    code: `import { GovernanceModule } from '../../libs/governance/index.js'; export const planted = GovernanceModule;`,
  },
  {
    rule: 'apps-go-no-deeper-than-the-entry-points',
    file: 'apps/standalone/planted.spec.ts',
    code: `import { Clock } from '../../libs/core/clock.js'; export const planted = Clock;`,
  },
  {
    rule: 'examples-stand-alone',
    file: 'apps/examples/planted/src/main.ts',
    code: `import { neighbour } from '../../neighbour.js'; export const planted = neighbour;`,
    beside: { 'apps/examples/neighbour.ts': 'export const neighbour = 1;' },
  },
  {
    rule: 'everything-resolves',
    file: 'libs/users/planted-typo.ts',
    code: `import { Clock } from '#coer'; export const planted = Clock;`,
  },
  {
    rule: 'shipped-code-needs-no-dev-dependency',
    file: 'libs/governance/planted.ts',
    code: `import fc from 'fast-check'; export const planted = fc;`,
  },
];

describe('the order of the libraries', () => {
  // All violations are added to one copy of the project and found in a single run, because a run takes long.
  const copy = copyProject();
  let planted: Cruise;

  beforeAll(async () => {
    for (const { file, code, beside } of VIOLATIONS) {
      copy.write(file, code);
      for (const [path, text] of Object.entries(beside ?? {})) copy.write(path, text);
    }
    planted = await cruise(copy.folder);
  });

  afterAll(() => copy.remove());

  it('is kept by the project', () => {
    expect(violationsOf(planted).filter(line => !line.includes('planted'))).toEqual([]);
  });

  it('is checked by the files that imports resolve to, not by import names', () => {
    const entryPoints = planted.modules
      .filter(({ source }) => !source.includes('planted'))
      .flatMap(({ source, dependencies }) => dependencies.map(dependency => ({ source, ...dependency })))
      .filter(({ module }) => module.startsWith('#') || module.startsWith('nest-llm-governance'));
    expect(entryPoints.length).toBeGreaterThan(50);
    for (const { source, module, resolved } of entryPoints) {
      expect(`${source}: ${module} is ${resolved}`).toMatch(
        / is (.*\/)?libs\/([a-z]+|sdks\/[a-z]+)\/(in-memory\/)?index\.ts$/,
      );
    }
  });

  it.each(VIOLATIONS)('reports a violation of $rule, by $file', ({ rule, file }) => {
    expect(violationsOf(planted).filter(line => line.startsWith(`${rule}: ${file} `))).toHaveLength(1);
  });
});
