import { jest } from '@jest/globals';
import { ChatReplies } from '../../../libs/itsm/chat/commands/chat-replies.js';
import type { TestApp } from '../test-app.js';

/** A time limit that is longer than any test. */
const HOUR_MS = 3_600_000;

/**
 * Sets the app's time limit for an answer to a chat. With the default, an answer is never late, even on a busy machine.
 * `jest.restoreAllMocks` restores the app's limit.
 */
export function giveChatTime({ app }: Pick<TestApp, 'app'>, answerMs = HOUR_MS): void {
  const replies = app.get(ChatReplies, { strict: false });
  jest.replaceProperty(replies, 'answerMs', answerMs);
  jest.replaceProperty(replies, 'noteMs', HOUR_MS);
}
