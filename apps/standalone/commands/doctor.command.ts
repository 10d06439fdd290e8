import { Command } from 'commander';
import { GovernanceOperations, type Finding } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `doctor`: looks for what would keep the service from working. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the installation')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      await withGovernance(async (app, config) => {
        const findings: Finding[] = [
          { check: 'Node.js version', ok: true, seen: process.version },
          ...(await app.get(GovernanceOperations).checkUp(config.firstOrganization)),
        ];
        const ok = findings.every(finding => finding.ok);
        if (!ok) process.exitCode = 1;
        print(
          options.json,
          { ok, findings: findings.map(finding => ({ ...finding, level: levelOf(finding) })) },
          findings.map(finding => {
            const remedy = finding.remedy === undefined ? '' : `\n      ${finding.remedy}`;
            return `${LABELS[levelOf(finding)]} ${finding.check}: ${finding.seen}${remedy}`;
          }),
        );
      });
    });
}

const LABELS = { ok: 'ok   ', warning: 'WARN ', failure: 'FAIL ' } as const;

/** What works and has a remedy all the same is a warning. */
function levelOf({ ok, remedy }: Finding): keyof typeof LABELS {
  if (!ok) return 'failure';
  return remedy === undefined ? 'ok' : 'warning';
}
