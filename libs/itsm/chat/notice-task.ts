import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import type { NewTask } from '#outbox';

/** Queue of notifications. The id of a task is the id of its notification, and the key is the id of the workspace. */
export const NOTICE_QUEUE = 'chat-notices';

/** The task that posts a notification, or updates its message. */
export function noticeTask({ id, workspaceId }: { id: string; workspaceId: string }): NewTask {
  return { id, queue: NOTICE_QUEUE, key: workspaceId, payload: {} };
}

const MAKE_DUE = `
with waiting as (
  select id from ${SCHEMA}.tasks where org_id = $1 and queue = '${NOTICE_QUEUE}' and key = $2 and lease_token is null
  order by id for update)
update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() from waiting where t.org_id = $1 and t.id = waiting.id`;

/**
 * Makes the waiting notifications of a workspace due at once. Call this function after an operator has changed the
 * workspace.
 */
export async function makeNoticesDue(tx: SqlTransaction, orgId: string, workspaceId: string): Promise<void> {
  await tx.query(MAKE_DUE, [orgId, workspaceId]);
}
