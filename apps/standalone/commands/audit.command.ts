import { Command } from 'commander';
import { GovernanceOperations } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withExamination } from './with-examination.js';
import { withGovernance } from './with-governance.js';

/** `audit verify` checks audit logs; `audit seal` accepts an audit log without a valid seal. */
export function auditCommand(): Command {
  return new Command('audit').description('the audit log').addCommand(verifyCommand()).addCommand(sealCommand());
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('check that no row of the audit log was altered or removed')
    .option('--org <id>', 'only this organization')
    .option('--expect <seq:hash>', 'a row that you kept; the log must still have it')
    .option(...JSON_OPTION)
    .action(async (options: { org?: string; expect?: string; json?: boolean }) => {
      await withExamination(async operations => {
        const ids = options.org === undefined ? await operations.organizationIds() : [options.org];
        if (options.expect !== undefined && ids.length !== 1) {
          throw new Error('--expect names a row of one organization: add --org <id>.');
        }
        const reports = [];
        for (const id of ids) {
          reports.push({ org_id: id, ...(await operations.verifyAudit(id, { expect: options.expect })) });
        }
        const ok = reports.every(report => report.ok);
        if (!ok) process.exitCode = 1;
        print(
          options.json,
          { ok, organizations: reports },
          reports.map(report =>
            report.ok
              ? `${report.org_id}  ${report.rows} rows, unbroken, head ${report.head?.seq}:${report.head?.hash}${prunedOf(report)}`
              : `${report.org_id}  BROKEN at row ${report.first_broken_seq}: ${report.reason}`,
          ),
        );
      });
    });
}

/** States up to which row the retention has deleted entries, because those were not checked. */
function prunedOf({ pruned_seq: pruned }: { pruned_seq: number }): string {
  return pruned === 0 ? '' : ` (pruned up to row ${pruned})`;
}

function sealCommand(): Command {
  return new Command('seal')
    .description('accept the audit log of an organization as it stands, where the key of its seal is lost')
    .requiredOption('--org <id>', 'id of the organization')
    .option(...JSON_OPTION)
    .action(async (options: { org: string; json?: boolean }) => {
      await withGovernance(async app => {
        await app.get(GovernanceOperations).sealAudit(options.org);
        print(options.json, { org_id: options.org, sealed: true }, [`${options.org}  sealed, and the log says so`]);
      });
    });
}
