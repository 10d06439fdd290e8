import { Command, Option } from 'commander';
import {
  operatorActor,
  OrganizationService,
  ROLES,
  TokenListService,
  TokenService,
  type AccessToken,
  type Role,
} from 'nest-llm-governance';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

/** Maximum number of tokens on one page of the list. */
const PAGE = 100;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `token`: creates, lists and revokes access tokens. */
export function tokenCommand(): Command {
  return new Command('token')
    .description('access tokens')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

function createCommand(): Command {
  return new Command('create')
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
        const { org, role, name, user, expiresInDays, json } = options;
        const userId = user?.toLowerCase() ?? null;
        await withGovernance(async app => {
          await app.get(OrganizationService).get(org);
          const terms = { name, role, userId, ...(expiresInDays === undefined ? {} : { expiresInDays }) };
          const { token, record } = await app.get(TokenService).issue(org, terms);
          const expires = record.expiresAt?.toISOString() ?? null;
          // The token is the first line of the output, so that scripts can read it.
          print(json, { org_id: org, id: record.id, role, token, expires_at: expires }, [
            token,
            `(shown only now; keep it. Its id is ${record.id}; it expires ${expires ?? 'never'})`,
          ]);
        });
      },
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('list the access tokens of an organization that work, the newest first')
    .requiredOption('--org <id>', 'id of the organization')
    .option(...JSON_OPTION)
    .action(async ({ org, json }: { org: string; json?: boolean }) => {
      await withGovernance(async app => {
        await app.get(OrganizationService).get(org);
        const lists = app.get(TokenListService);
        const tokens: ShownToken[] = [];
        let cursor: string | undefined;
        do {
          const page = await lists.list(org, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }, shown);
          tokens.push(...page.items);
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined);
        const lines = tokens.map(
          ({ id, name, role, expires_at: expires, last_used_at: used }) =>
            `${id}  ${role.padEnd(7)}  expires ${expires ?? 'never'}  used ${used ?? 'never'}  ${name}`,
        );
        print(json, { org_id: org, tokens }, lines.length > 0 ? lines : ['There is no token that works.']);
      });
    });
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('end an access token, and those that end with it')
    .argument('<id>', 'id of the token, as token list shows it')
    .requiredOption('--org <id>', 'id of the organization')
    .option(...JSON_OPTION)
    .action(async (id: string, { org, json }: { org: string; json?: boolean }) => {
      if (!UUID.test(id)) throw new Error('Give the id of the token, as token list shows it, not the token itself.');
      await withGovernance(async app => {
        await app.get(TokenService).revoke(operatorActor(org), id.toLowerCase());
        print(json, { org_id: org, id, revoked: true }, [`${id}  revoked; no replica accepts it after one second`]);
      });
    });
}

type ShownToken = ReturnType<typeof shown>;

function shown({ id, name, role, userId, expiresAt, lastUsedAt }: AccessToken) {
  return {
    id,
    name,
    role,
    user_id: userId,
    expires_at: expiresAt?.toISOString() ?? null,
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
