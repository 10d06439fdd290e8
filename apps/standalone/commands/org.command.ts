import { userInfo } from 'node:os';
import { Command } from 'commander';
import { GovernanceOperations, operatorActor, OrganizationService, type SuspensionState } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { deleteCommand } from './org-delete.command.js';
import { withGovernance } from './with-governance.js';

/** `org`: manages organizations. */
export function orgCommand(): Command {
  return new Command('org')
    .description('organizations')
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(renameCommand())
    .addCommand(suspendCommand())
    .addCommand(resumeCommand())
    .addCommand(deleteCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('list all organizations, the oldest first')
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      await withGovernance(async app => {
        const organizations = [];
        for (const id of await app.get(GovernanceOperations).organizationIds()) {
          const { name, timeZone, createdAt, suspendedAt } = await app.get(OrganizationService).get(id);
          organizations.push({
            org_id: id,
            name,
            time_zone: timeZone,
            created_at: createdAt.toISOString(),
            suspended_at: suspendedAt?.toISOString() ?? null,
          });
        }
        const lines = organizations.map(({ org_id: id, name, time_zone: zone, suspended_at: suspendedAt }) => {
          const suspended = suspendedAt === null ? '' : `  SUSPENDED since ${suspendedAt}`;
          return `${id}  ${name}  (${zone})${suspended}`;
        });
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

function suspendCommand(): Command {
  return new Command('suspend')
    .description('refuse all requests and decisions of an organization, and let its background work wait')
    .requiredOption('--org <id>', 'id of the organization')
    .option('--reason <text>', 'why; its audit log has it')
    .option(...JSON_OPTION)
    .action(async ({ org, reason, json }: { org: string; reason?: string; json?: boolean }) => {
      await withGovernance(async app => {
        const by = userInfo().username;
        printState(json, await app.get(GovernanceOperations).suspendOrganization(org, { by, reason }));
      });
    });
}

function resumeCommand(): Command {
  return new Command('resume')
    .description('end the suspension of an organization')
    .requiredOption('--org <id>', 'id of the organization')
    .option(...JSON_OPTION)
    .action(async ({ org, json }: { org: string; json?: boolean }) => {
      await withGovernance(async app => {
        printState(json, await app.get(GovernanceOperations).resumeOrganization(org, { by: userInfo().username }));
      });
    });
}

function printState(json: boolean | undefined, { orgId, name, suspendedAt }: SuspensionState): void {
  const since = suspendedAt?.toISOString() ?? null;
  const line = since === null ? `${orgId}  ${name}  is active` : `${orgId}  ${name}  is suspended since ${since}`;
  print(json, { org_id: orgId, name, suspended_at: since }, [line]);
}
