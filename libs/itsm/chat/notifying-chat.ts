import type { JsonObject } from '#core';
import { ChatCommandAdapter } from './chat-command-adapter.port.js';
import type { ChatNotifier } from './chat-notifier.port.js';

/** Base class for chat platforms that only receive notifications: without commands and buttons. */
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
