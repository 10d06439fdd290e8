import type { NewTask } from '#outbox';

/** Queue of pending answers. The id of a task is the id of its command, and the key is the id of the organization. */
export const CHAT_QUEUE = 'chat-reply';

/** The task that answers a command if the process ends before it has answered. */
export function chatTask(orgId: string, commandId: string): NewTask {
  return { id: commandId, queue: CHAT_QUEUE, key: orgId, payload: {} };
}
