import type { JsonObject } from '#core';
import { ChatCommandAdapter } from './chat-command-adapter.port.js';
import type { ChatNotifier } from './chat-notifier.port.js';

/** A chat platform that gets notifications and sends nothing: no commands, no pressed buttons. */
export abstract class NotifyingChat extends ChatCommandAdapter {
  abstract override readonly notifier: ChatNotifier;
  override readonly takesCommands = false;

  isAccount(): boolean {
    return false;
  }

  read(): null {
    return null;
  }

  isProbe(): boolean {
    return false;
  }

  isAuthentic(): boolean {
    return false;
  }

  isReplyUrl(): boolean {
    return false;
  }

  reply(text: string): JsonObject {
    return { text };
  }
}
