import { Command } from 'commander';
import { GovernanceOperations } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `org create`: a new organization with its first admin token. */
export function orgCommand(): Command {
  const create = new Command('create')
    .description('make an organization and its first admin token')
    .requiredOption('--name <name>', 'name of the organization')
    .option('--time-zone <zone>', 'IANA time zone in which its budgets run', 'UTC')
    .option(...JSON_OPTION)
    .action(async (options: { name: string; timeZone: string; json?: boolean }) => {
      await withGovernance(async app => {
        const { orgId, token } = await app
          .get(GovernanceOperations)
          .createOrganization(options.name, { timeZone: options.timeZone });
        print(options.json, { org_id: orgId, token }, [
          `Organization  ${orgId}`,
          `Admin token   ${token}`,
          '              (shown only now; keep it)',
        ]);
      });
    });
  return new Command('org').description('organizations').addCommand(create);
}
