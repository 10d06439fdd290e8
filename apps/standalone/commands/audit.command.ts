import { Command } from 'commander';
import { GovernanceOperations } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `audit verify`: checks the hash chain of the audit log. */
export function auditCommand(): Command {
  const verify = new Command('verify')
    .description('check that no row of the audit log was altered or removed')
    .option('--org <id>', 'only this organization')
    .option(...JSON_OPTION)
    .action(async (options: { org?: string; json?: boolean }) => {
      await withGovernance(async app => {
        const operations = app.get(GovernanceOperations);
        const ids = options.org === undefined ? await operations.organizationIds() : [options.org];
        const reports = [];
        for (const id of ids) reports.push({ org_id: id, ...(await operations.verifyAudit(id)) });
        const ok = reports.every(report => report.ok);
        if (!ok) process.exitCode = 1;
        print(
          options.json,
          { ok, organizations: reports },
          reports.map(report =>
            report.ok
              ? `${report.org_id}  ${report.rows} rows, unbroken`
              : `${report.org_id}  BROKEN at row ${report.first_broken_seq}: ${report.reason}`,
          ),
        );
      });
    });
  return new Command('audit').description('the audit log').addCommand(verify);
}
