import type { NewTask } from '#outbox';

/** Queue of pending answers. The id of a task is the command's id, its key the organization's. */
export const CHAT_QUEUE = 'chat-reply';

/** The task that answers a command if the process ends before it does. */
export function chatTask(orgId: string, commandId: string): NewTask {
  return { id: commandId, queue: CHAT_QUEUE, key: orgId, payload: {} };
}
