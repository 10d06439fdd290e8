import type { NewTask } from '#outbox';

/** The queue of answers to commands. A command's task has the command's id, and the organization's as its key. */
export const CHAT_QUEUE = 'chat-reply';

/** The task that sees to it that a command is answered. */
export function chatTask(orgId: string, commandId: string): NewTask {
  return { id: commandId, queue: CHAT_QUEUE, key: orgId, subject: {} };
}
