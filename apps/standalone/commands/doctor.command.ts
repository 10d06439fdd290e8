import { Command } from 'commander';
import { GovernanceOperations } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `doctor`: looks for what would keep the service from working. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the installation')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      await withGovernance(async app => {
        const findings = [
          { check: 'Node.js version', ok: true, seen: process.version },
          ...(await app.get(GovernanceOperations).checkUp()),
        ];
        const ok = findings.every(finding => finding.ok);
        if (!ok) process.exitCode = 1;
        print(
          options.json,
          { ok, findings },
          findings.map(finding => {
            const remedy = 'remedy' in finding && finding.remedy !== undefined ? `\n      ${finding.remedy}` : '';
            return `${finding.ok ? 'ok   ' : 'FAIL '} ${finding.check}: ${finding.seen}${remedy}`;
          }),
        );
      });
    });
}
