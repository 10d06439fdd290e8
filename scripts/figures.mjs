// Prints figures of the source in `libs`, without specs: `npm run figures`. `-- --json` prints all figures as JSON. `--
// --at <commit>` measures a commit, and `-- --at <folder>` another copy of the project. `-- --cycles` prints only the
// import cycles of sibling folders, and exits with 1 if there are any.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../test/support/typescript.mjs';
import { root } from './prepare.mjs';

const { figuresOf } = await import('../test/architecture/figures/figures.ts');
const { recipesOf } = await import('../test/recipes/recipe.ts');
const { siblingCycles } = await import('../test/architecture/figures/folders.ts');

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, cycles: { type: 'boolean' }, at: { type: 'string', default: root } },
});

const { files, guide } = existsSync(options.at) ? readProject(options.at) : readCommit(options.at);
if (options.cycles) reportCycles(siblingCycles(files));
else report({ ...figuresOf(files), filesPerRecipe: filesPerRecipe(guide) });

function readProject(folder) {
  const files = globSync('libs/**/*.ts', { cwd: folder })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => !file.endsWith('.spec.ts'))
    .sort()
    .map(file => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
  return { files, guide: readFileSync(join(folder, 'CONTRIBUTING.md'), 'utf8') };
}

function readCommit(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'governance-figures-'));
  try {
    const parts = ['libs', 'CONTRIBUTING.md'];
    const archive = execFileSync('git', ['archive', commit, ...parts], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    return readProject(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Number of files that each recipe changes. Includes only recipes whose code blocks name files. */
function filesPerRecipe(guide) {
  const counted = [...recipesOf(guide)].map(([name, steps]) => [name, new Set(steps.map(({ file }) => file)).size]);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

function report(figures) {
  if (options.json) {
    console.log(JSON.stringify(figures, undefined, 2));
    return;
  }
  const { roles, filesPerRecipe, ...others } = figures;
  const counted = Object.entries(others).map(([name, value]) => [name, Array.isArray(value) ? value.length : value]);
  console.table(Object.fromEntries(counted));
  console.log(
    `Files per role: ${Object.entries(roles)
      .map(([role, count]) => `${role} ${count}`)
      .join(', ')}`,
  );
  for (const [name, count] of Object.entries(filesPerRecipe)) console.log(`Recipe: ${name}, ${count} files`);
  for (const cycle of figures.siblingCycles) console.log(`Cycle: ${cycle}`);
  for (const smallFile of figures.smallFiles) console.log(`Small file with one reader: ${smallFile}`);
  for (const run of figures.duplicatedRuns) console.log(`Duplicate: ${run}`);
}

function reportCycles(cycles) {
  for (const cycle of cycles) console.error(`sibling folders import one another in a circle: ${cycle}`);
  process.exitCode = cycles.length > 0 ? 1 : 0;
}
