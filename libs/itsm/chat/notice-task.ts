import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import type { NewTask } from '#outbox';

/** The queue of notifications. Its keys are workspace ids, and a notification's task has the notification's id. */
export const NOTICE_QUEUE = 'chat-notices';

/** The task that posts a notification, or shows its newest state. */
export function noticeTask({ id, workspaceId }: { id: string; workspaceId: string }): NewTask {
  return { id, queue: NOTICE_QUEUE, key: workspaceId, subject: {} };
}

const HURRY = `
with waiting as (
  select id from ${SCHEMA}.tasks where org_id = $1 and queue = '${NOTICE_QUEUE}' and key = $2 and lease_token is null
  order by id for update)
update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() from waiting where t.org_id = $1 and t.id = waiting.id`;

/** Makes the waiting notifications of a workspace due, after an operator changed what they may have failed for. */
export async function hurryNotices(tx: SqlTransaction, orgId: string, workspaceId: string): Promise<void> {
  await tx.query(HURRY, [orgId, workspaceId]);
}
