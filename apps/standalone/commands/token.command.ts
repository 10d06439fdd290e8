import { Command, Option } from 'commander';
import { GovernanceOperations, ROLES, type Role } from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** `token create`: an access token for an organization. */
export function tokenCommand(): Command {
  const create = new Command('create')
    .description('make an access token')
    .requiredOption('--org <id>', 'id of the organization')
    .addOption(new Option('--role <role>', 'what the token may do').choices(ROLES).makeOptionMandatory())
    .option('--name <name>', 'what the token is for', 'made at the command line')
    .option('--user <id>', 'id of the user whose token it is (default: nobody)')
    .option('--expires-in-days <days>', 'days until it expires, at most 365 (default: 90)', Number)
    .option(...JSON_OPTION)
    .action(
      async (options: {
        org: string;
        role: Role;
        name: string;
        user?: string;
        expiresInDays?: number;
        json?: boolean;
      }) => {
        const { org, role, name, user: userId, expiresInDays, json } = options;
        await withGovernance(async app => {
          const token = await app.get(GovernanceOperations).createToken(org, role, name, { userId, expiresInDays });
          print(json, { org_id: org, role, token }, [token, '(shown only now; keep it)']);
        });
      },
    );
  return new Command('token').description('access tokens').addCommand(create);
}
