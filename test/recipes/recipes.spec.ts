import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { copyProject, cruise, ROOT, violationsOf } from '../architecture/cruise.js';
import { changed, recipesOf, type Step } from './recipe.js';

/** Recipes that another test checks. */
const ELSEWHERE: Record<string, string> = {
  'A report figure': 'test/recipes/report-figure.spec.ts',
  'An ITSM adapter': 'test/docs/write-an-itsm-adapter.spec.ts',
};

/** The commands that are run after the recipes are applied. None of them needs a database. */
const SPECS = ['libs/followed.spec.ts', 'libs/outbox/events/catalogue.spec.ts', 'test/architecture/modules.spec.ts'];

const WITHOUT_DATABASE = `
import config from './jest.config.mjs';
const { globalSetup: _set, globalTeardown: _torn, testSequencer: _order, ...rest } = config;
export default rest;
`;

describe('the recipes of CONTRIBUTING.md', () => {
  const all = recipesOf(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'));
  const steps = [...all.values()].flat();
  const copy = copyProject();

  beforeAll(() => {
    for (const file of ['jest.config.mjs', '.swcrc']) copy.write(file, readFileSync(join(ROOT, file), 'utf8'));
    copy.write('jest.recipes.mjs', WITHOUT_DATABASE);
    for (const step of steps) follow(copy.folder, step);
    copy.write('libs/followed.spec.ts', readFileSync(join(import.meta.dirname, 'followed.txt'), 'utf8'));
  });

  afterAll(() => copy.remove());

  it('are those listed here, and each has a test that follows it', () => {
    expect([...all.keys()]).toEqual([
      'A report figure',
      'An event type',
      'A condition operator',
      'A library',
      'A scheduled job',
      'An ITSM adapter',
      'A chat',
    ]);
    for (const [name, own] of all)
      expect({ name, isFollowed: own.length > 0 || existsSync(join(ROOT, ELSEWHERE[name] ?? '?')) }).toEqual({
        name,
        isFollowed: true,
      });
  });

  it('touch at most five files each', () => {
    for (const [name, own] of all) {
      const files = new Set(own.map(({ file }) => file));
      expect({ name, isShort: files.size <= 5 }).toEqual({ name, isShort: true });
    }
  });

  it('show code that compiles', () => {
    expect(diagnosticsOf(copy.folder, steps)).toEqual([]);
  });

  it('keep the order of the libraries', async () => {
    expect(violationsOf(await cruise(copy.folder, ['libs/notices', 'libs/itsm/chat', 'libs/outbox/events']))).toEqual(
      [],
    );
  });

  it('have the promised result', async () => {
    const { success, testResults } = await runSpecs(copy.folder);
    const failed = testResults.flatMap(({ message }) => message || []);
    expect({ success, failed, files: testResults.length }).toEqual({ success: true, failed: [], files: SPECS.length });
  });
});

/** The fields of Jest's report that are read here. */
interface JestReport {
  success: boolean;
  /** One entry for each test file. The message describes the failure of the file. */
  testResults: { message: string }[];
}

async function runSpecs(folder: string): Promise<JestReport> {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const args = ['--experimental-vm-modules', jest, '--config', 'jest.recipes.mjs', '--json', '--runInBand', ...SPECS];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  // Ignores the exit code: if a test fails, Jest exits with 1 but still writes the report.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  // Jest documents the shape of its report.
  return JSON.parse(stdout) as JestReport;
}

function follow(folder: string, step: Step): void {
  const path = join(folder, step.file);
  if (!step.isChange && existsSync(path))
    throw new Error(`${step.file} is there already; the recipe says that it is new`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, step.isChange ? changed(readFileSync(path, 'utf8'), step) : step.code);
}

/** The compiler's errors in the files that recipes change, with the options of the project. */
function diagnosticsOf(folder: string, steps: readonly Step[]): string[] {
  const config = ts.readConfigFile(join(folder, 'tsconfig.json'), path => readFileSync(path, 'utf8'));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder, { noEmit: true });
  const files = new Set(steps.map(({ file }) => join(folder, file)).filter(file => /(libs|test).*\.ts$/.test(file)));
  const program = ts.createProgram([...files], options);
  return [...files].flatMap(file => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(
      ({ messageText }) => `${relative(folder, file)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}
