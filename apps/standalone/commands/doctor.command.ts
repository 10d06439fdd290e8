import { Command } from 'commander';
import { grantStatements, type Finding } from 'nest-llm-governance';
import { readConfig } from '../config.js';
import { nodeFault } from '../node-version.js';
import { JSON_OPTION, print } from './output.js';
import { withExamination } from './with-examination.js';

/** `doctor`: finds problems that would keep the service from working. Read-only. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the installation; changes nothing')
    .option('--print-grants', 'print the statements with which an administrator prepares the roles, and check nothing')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean; printGrants?: boolean }) => {
      if (options.printGrants) await printGrants(options.json);
      else await examine(options.json);
    });
}

async function printGrants(json: boolean | undefined): Promise<void> {
  const { databaseUrl: url, migrationUrl } = readConfig(process.env, { makeKeys: false });
  if (url === undefined) throw new Error('The embedded database needs no grants. Set DATABASE_URL to print them.');
  const statements = await grantStatements({ url, ...(migrationUrl === undefined ? {} : { migrationUrl }) });
  print(json, { statements }, statements);
}

async function examine(json: boolean | undefined): Promise<void> {
  const findings: Finding[] = [nodeFinding()];
  try {
    await withExamination(async (examination, { unknownVariables, firstOrganization }) => {
      findings.push(...unknownVariables.map(seen => ({ check: 'settings', ok: true, seen, remedy: SETTINGS_REMEDY })));
      findings.push(...(await examination.checkUp(firstOrganization)));
    });
  } catch (error) {
    // The findings so far are shown even if an error follows.
    const seen = error instanceof Error ? error.message : String(error);
    findings.push({ check: 'settings', ok: false, seen, remedy: SETTINGS_REMEDY });
  }
  const ok = findings.every(finding => finding.ok);
  if (!ok) process.exitCode = 1;
  print(
    json,
    { ok, findings: findings.map(finding => ({ ...finding, level: levelOf(finding) })) },
    findings.map(finding => {
      const remedy = finding.remedy === undefined ? '' : `\n      ${finding.remedy}`;
      return `${LABELS[levelOf(finding)]} ${finding.check}: ${finding.seen}${remedy}`;
    }),
  );
}

const SETTINGS_REMEDY = 'docs/settings.md lists every variable with its values.';

function nodeFinding(): Finding {
  const fault = nodeFault(process.version);
  const seen = process.version;
  return { check: 'Node.js version', ok: fault === undefined, seen, ...(fault === undefined ? {} : { remedy: fault }) };
}

const LABELS = { ok: 'ok   ', warning: 'WARN ', failure: 'FAIL ' } as const;

/** A finding that is ok and has a remedy is a warning. */
function levelOf({ ok, remedy }: Finding): keyof typeof LABELS {
  if (!ok) return 'failure';
  return remedy === undefined ? 'ok' : 'warning';
}
