import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretPlace } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { SecretVault } from '#secrets';

/** Time for which commands are kept. It exceeds the lifetime of a signature and the deadline of an answer. */
const RETENTION_MS = 60 * 60_000;

/** A command that was accepted. */
export interface NewChatCommand {
  readonly orgId: string;
  readonly id: string;
  /** SHA-256 of the unique id of the request. */
  readonly requestHash: Buffer;
  readonly platform: string;
  readonly workspace: string;
  readonly account: string;
  readonly text: string;
  /** The URL for a later answer. Empty if no later answer is possible. */
  readonly replyUrl: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** A command whose answer is pending. */
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

/** A command as its row stores it. The URL for the answer is in the vault and not in the row. */
type StoredCommand = Omit<OwedCommand, 'replyUrl'>;

const INSERT = `
insert into ${SCHEMA}.chat_commands (org_id, id, request_hash, platform, workspace, account, text, address, request_id,
  created_at, stage)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'running') on conflict (org_id, request_hash) do nothing
returning 1 as is_first`;

const TIDY = `delete from ${SCHEMA}.chat_commands where org_id = $1 and created_at < $2 returning id, stage`;

const OWED = `
select id, platform, workspace, account, text, reply, ticket_id as "ticketId", address, request_id as "requestId",
  extract(epoch from created_at)::float8 * 1000 as "createdMs"
from ${SCHEMA}.chat_commands where org_id = $1 and id = any ($2::uuid[]) and stage <> 'answered'`;

const SETTLE = `
update ${SCHEMA}.chat_commands set stage = $3, reply = $4, ticket_id = $5 where org_id = $1 and id = $2`;

const OWNER = 'chat_commands';

/**
 * Location of the answer URL in the vault. The URL is secret: anyone who has it can post in the chat as this service.
 */
function replyPlace(orgId: string, ownerId: string): SecretPlace {
  return { orgId, owner: OWNER, ownerId, name: 'reply_url' };
}

/** Commands of the last hour, and the encrypted URLs of pending answers. */
@Injectable()
export class ChatCommandRows {
  constructor(private readonly vault: SecretVault) {}

  /** Stores a command. Returns false if the same request was stored before. Deletes expired commands. */
  async enter(em: EntityManager, command: NewChatCommand, now: Date): Promise<boolean> {
    const { orgId, id, requestHash, platform, workspace, account, text, replyUrl, address, requestId } = command;
    const tx = sqlOf(em);
    const before = new Date(now.getTime() - RETENTION_MS);
    for (const old of await tx.query<{ id: string; stage: string }>(TIDY, [orgId, before])) {
      if (old.stage !== 'answered') await this.vault.deleteAll(em, orgId, OWNER, old.id);
    }
    const values = [orgId, id, requestHash, platform, workspace, account, text, address, requestId, now];
    if ((await tx.query(INSERT, values)).length === 0) return false;
    if (replyUrl !== '') await this.vault.put(em, replyPlace(orgId, id), replyUrl);
    return true;
  }

  /** Selects the commands whose answer is pending. */
  async owed(em: EntityManager, orgId: string, ids: readonly string[]): Promise<OwedCommand[]> {
    const rows = await sqlOf(em).query<StoredCommand>(OWED, [orgId, `{${ids.join(',')}}`]);
    const urls = await this.vault.getMany(
      em,
      rows.map(({ id }) => replyPlace(orgId, id)),
    );
    return rows.map((row, nth) => {
      const url = urls[nth];
      // If the URL cannot be decrypted, it is empty, and no answer is sent.
      return Object.assign(row, { replyUrl: typeof url === 'string' ? url : '' });
    });
  }

  /** Marks a command as answered. */
  async markAnswered(em: EntityManager, orgId: string, id: string): Promise<void> {
    await sqlOf(em).query(SETTLE, [orgId, id, 'answered', null, null]);
    await this.vault.deleteAll(em, orgId, OWNER, id);
  }

  /** Stores the pending text, or the ticket for which the answer waits. */
  async markOwed(
    em: EntityManager,
    orgId: string,
    id: string,
    owed: { reply: string | null; ticketId: string | null },
  ): Promise<void> {
    await sqlOf(em).query(SETTLE, [orgId, id, 'owed', owed.reply, owed.ticketId]);
  }
}
