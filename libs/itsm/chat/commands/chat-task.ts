import type { NewTask } from '#outbox';

/** The lane of answers to commands. A command's task has the command's id, and the organization's as its key. */
export const CHAT_LANE = 'chat-reply';

/** The task that sees to it that a command is answered. */
export function chatTask(orgId: string, commandId: string): NewTask {
  return { id: commandId, lane: CHAT_LANE, key: orgId, subject: {} };
}
