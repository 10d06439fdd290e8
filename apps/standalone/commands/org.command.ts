import { Command } from 'commander';
import { GovernanceOperations, operatorActor, OrganizationService } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `org`: lists, creates and renames organizations. */
export function orgCommand(): Command {
  return new Command('org')
    .description('organizations')
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(renameCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('list all organizations, the oldest first')
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      await withGovernance(async app => {
        const organizations = [];
        for (const id of await app.get(GovernanceOperations).organizationIds()) {
          const { name, timeZone, createdAt } = await app.get(OrganizationService).get(id);
          organizations.push({ org_id: id, name, time_zone: timeZone, created_at: createdAt.toISOString() });
        }
        const lines = organizations.map(({ org_id: id, name, time_zone: zone }) => `${id}  ${name}  (${zone})`);
        print(json, { organizations }, lines.length > 0 ? lines : ['There is no organization.']);
      });
    });
}

function createCommand(): Command {
  return new Command('create')
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
}

function renameCommand(): Command {
  return new Command('rename')
    .description('give an organization another name')
    .requiredOption('--org <id>', 'id of the organization')
    .requiredOption('--name <name>', 'the new name')
    .option(...JSON_OPTION)
    .action(async ({ org, name, json }: { org: string; name: string; json?: boolean }) => {
      await withGovernance(async app => {
        const renamed = await app.get(OrganizationService).update(operatorActor(org), { name });
        print(json, { org_id: renamed.id, name: renamed.name }, [`${renamed.id}  ${renamed.name}`]);
      });
    });
}
