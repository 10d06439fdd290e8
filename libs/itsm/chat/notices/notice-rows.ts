import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretUnreadableError } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf } from '#database';
import { SecretVault } from '#secrets';
import { notificationSecretPlace } from '../setup/workspace-secrets.js';

/** A notification with its workspace. */
export interface OwedNotice {
  readonly id: string;
  readonly workspaceId: string;
  readonly platform: string;
  readonly subject: 'incident' | 'approval';
  readonly subjectId: string;
  /** The channel in the current settings. Empty if the platform needs none. */
  readonly channel: string;
  readonly version: number;
  readonly ref: string | null;
  readonly isSent: boolean;
  readonly createdMs: number;
  /** The secret for notifications. Undefined if none is stored. */
  readonly secret: string | undefined | SecretUnreadableError;
}

/** The result of an attempt in the form in which it is stored. */
export interface NoticeEnd {
  readonly notice: OwedNotice;
  readonly stage: 'pending' | 'sent' | 'failed';
  /** Whether the message shows the version of the subject that was loaded. */
  readonly isShown: boolean;
  readonly ref: string | null;
  /** The problem, as a sentence for the operator; null if there is none. */
  readonly problem: string | null;
}

const OWED = prepared(
  'owed_notices',
  `
select n.id, n.workspace_id as "workspaceId", w.platform, n.subject, n.subject_id as "subjectId", n.version, n.ref,
  coalesce(w.notifications -> (n.subject || 's') ->> 'channel', '') as channel, n.stage = 'sent' as "isSent", extract(epoch from n.created_at)::float8 * 1000 as "createdMs"
from ${SCHEMA}.chat_notices n join ${SCHEMA}.chat_workspaces w on w.org_id = $1 and w.id = n.workspace_id
where n.org_id = $1 and n.id = any ($2::uuid[]) 
  and (n.stage = 'sent' or n.stage = 'pending' and w.notifications ? (n.subject || 's'))`,
);

const SETTLE = `
update ${SCHEMA}.chat_notices set stage = $3, ref = $4, error = $5, shown = case when $6 then $7::integer else shown end
where org_id = $1 and id = $2 returning version > $7::integer as "isBehind"`;

// The problem of a workspace. `since` is the time since which the same problem has persisted.
const NOTE = `
update ${SCHEMA}.chat_workspaces set problem = case when $3::text is null then null
  else jsonb_build_object('message', $3::text, 'since', case when problem ->> 'message' = $3 then problem ->> 'since'
    else $4::text end) end
where org_id = $1 and id = $2 and problem ->> 'message' is distinct from $3`;

/** Reads notifications, and stores the problems of workspaces with them. */
@Injectable()
export class NoticeRows {
  constructor(private readonly vault: SecretVault) {}

  /**
   * Reads notifications that must be sent or updated. A notification of a deleted workspace is missing in the result.
   */
  async owed(em: EntityManager, orgId: string, ids: readonly string[]): Promise<OwedNotice[]> {
    const rows = await sqlOf(em).query<Omit<OwedNotice, 'secret'>>(OWED, [orgId, plainArray(ids, id => id)]);
    const places = rows.map(({ workspaceId: id }) => notificationSecretPlace({ orgId, id }));
    const secrets = await this.vault.getMany(em, places);
    return rows.map((row, at) => Object.assign(row, { secret: secrets[at] }));
  }

  /** Stores the result of an attempt. Returns whether the subject has changed since it was loaded. */
  async settle(em: EntityManager, orgId: string, end: NoticeEnd, now: Date): Promise<boolean> {
    const { notice, stage, isShown, ref, problem } = end;
    const { id, version, workspaceId } = notice;
    const tx = sqlOf(em);
    const [row] = await tx.query<{ isBehind: boolean }>(SETTLE, [orgId, id, stage, ref, problem, isShown, version]);
    await tx.query(NOTE, [orgId, workspaceId, problem, now.toISOString()]);
    return row?.isBehind ?? false;
  }
}
