import { closeSync, openSync, writeSync } from 'node:fs';
import { Command, Option } from 'commander';
import { operatorActor, OrganizationService } from 'nest-llm-governance';
import { IMPORT_MODES, UserImporter, type ImportedLine, type ImportMode } from 'nest-llm-governance/users';
import { bytesOf } from './input-file.js';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

interface ImportUsersFlags {
  org: string;
  mode: ImportMode;
  dryRun?: boolean;
  report?: string;
  json?: boolean;
}

const SHOWN_REFUSALS = 10;
const PROGRESS_EVERY = 1_000;

/** `import users`: people from a CSV file. */
export function importUsersCommand(): Command {
  return new Command('users')
    .description('import users from a CSV file, plain or .gz; importing a file again changes nothing')
    .argument('<file>', 'CSV file with a header line: email,name,department,role,status,attributes.<name>')
    .requiredOption('--org <id>', 'id of the organization')
    .addOption(
      new Option('--mode <mode>', 'whether people who are there already are refused or changed')
        .choices(IMPORT_MODES)
        .default('upsert'),
    )
    .option('--dry-run', 'say what would become of each line, and do nothing')
    .option('--report <file>', 'write what became of each line, as one JSON object per line')
    .option(...JSON_OPTION)
    .action(runImport);
}

async function runImport(path: string, { org, mode, dryRun = false, report, json }: ImportUsersFlags): Promise<void> {
  await withGovernance(async app => {
    await app.get(OrganizationService).get(org);
    const reportFile = report === undefined ? undefined : openSync(report, 'w');
    let [lines, refusals] = [0, 0];
    const onLine = (line: ImportedLine): void => {
      if (reportFile !== undefined) writeSync(reportFile, `${JSON.stringify(line)}\n`);
      if (++lines % PROGRESS_EVERY === 0) showProgress(lines);
      if (line.outcome !== 'refused' || ++refusals > SHOWN_REFUSALS) return;
      for (const { field, message } of line.errors) process.stderr.write(`line ${line.line}: ${field} ${message}\n`);
    };
    const actor = operatorActor(org, 'import');
    const counts = await app.get(UserImporter).import(actor, { source: bytesOf(path), mode, dryRun, onLine });
    if (reportFile !== undefined) closeSync(reportFile);
    const { created, updated, unchanged, refused } = counts;
    const sum = `${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`;
    print(json, { dry_run: dryRun, ...counts }, [
      `${counts.lines} lines: ${sum}${dryRun ? ' (nothing was done)' : ''}`,
    ]);
  });
}

function showProgress(lines: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${lines} lines`);
}
