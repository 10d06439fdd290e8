import type { EntityManager } from '@mikro-orm/postgresql';
import { SCHEMA, sqlOf } from '#database';

/** For how long commands are remembered, in milliseconds: longer than a signature is good, and than an answer is due. */
const REMEMBERED_MS = 60 * 60_000;

/** A command that was let in. */
export interface NewChatCommand {
  readonly orgId: string;
  readonly id: string;
  /** SHA-256 of what tells the request from others. */
  readonly requestHash: Buffer;
  readonly platform: string;
  readonly workspace: string;
  readonly account: string;
  readonly text: string;
  /** Empty where no later answer can be given. */
  readonly replyUrl: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** A command of which an answer is owed. */
export interface OwedCommand {
  readonly id: string;
  readonly platform: string;
  readonly workspace: string;
  readonly account: string;
  readonly text: string;
  readonly replyUrl: string;
  readonly reply: string | null;
  readonly ticketId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly createdMs: number;
}

const INSERT = `
insert into ${SCHEMA}.chat_commands (org_id, id, request_hash, platform, workspace, account, text, reply_url, address,
  request_id, created_at, stage)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'running') on conflict (org_id, request_hash) do nothing
returning 1 as is_first`;

const TIDY = `delete from ${SCHEMA}.chat_commands where org_id = $1 and created_at < $2`;

const OWED = `
select id, platform, workspace, account, text, reply_url as "replyUrl", reply, ticket_id as "ticketId", address,
  request_id as "requestId", extract(epoch from created_at)::float8 * 1000 as "createdMs"
from ${SCHEMA}.chat_commands where org_id = $1 and id = any ($2::uuid[]) and stage <> 'answered'`;

const SETTLE = `
update ${SCHEMA}.chat_commands
set stage = $3, reply = $4, ticket_id = $5, reply_url = case when $3 = 'answered' then '' else reply_url end
where org_id = $1 and id = $2`;

/** Remembers a command; false where the same request has come before. */
export async function enterCommand(em: EntityManager, command: NewChatCommand, now: Date): Promise<boolean> {
  const { orgId, id, requestHash, platform, workspace, account, text, replyUrl, address, requestId } = command;
  const tx = sqlOf(em);
  await tx.query(TIDY, [orgId, new Date(now.getTime() - REMEMBERED_MS)]);
  const values = [orgId, id, requestHash, platform, workspace, account, text, replyUrl, address, requestId, now];
  return (await tx.query(INSERT, values)).length > 0;
}

/** Those of some commands that an answer is owed of. */
export async function owedCommands(em: EntityManager, orgId: string, ids: readonly string[]): Promise<OwedCommand[]> {
  return sqlOf(em).query<OwedCommand>(OWED, [orgId, `{${ids.join(',')}}`]);
}

/** Notes that a command was answered. */
export async function markAnswered(em: EntityManager, orgId: string, id: string): Promise<void> {
  await sqlOf(em).query(SETTLE, [orgId, id, 'answered', null, null]);
}

/** Notes what is to be said, or which ticket is waited for. */
export async function markOwed(
  em: EntityManager,
  orgId: string,
  id: string,
  owed: { reply: string | null; ticketId: string | null },
): Promise<void> {
  await sqlOf(em).query(SETTLE, [orgId, id, 'owed', owed.reply, owed.ticketId]);
}
