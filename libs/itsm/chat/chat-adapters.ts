import { NotFoundError } from '#core';
import type { ChatCommandAdapter } from './chat-command-adapter.port.js';

/** Injection token of the list of chat adapters of this process. */
export const CHAT_ADAPTERS = Symbol('governance.chat-adapters');

/** Registry of chat platforms, by kind. */
export class ChatAdapters {
  private readonly byKind = new Map<string, ChatCommandAdapter>();

  /** Creates the registry. @throws Error if two adapters have the same kind */
  constructor(adapters: readonly ChatCommandAdapter[]) {
    for (const adapter of adapters) {
      const other = this.byKind.get(adapter.kind);
      if (other) {
        const [first, second] = [other.constructor.name, adapter.constructor.name];
        throw new Error(
          `chatAdapters: "${adapter.kind}" is claimed by ${first} and ${second}; change the kind of one of them`,
        );
      }
      this.byKind.set(adapter.kind, adapter);
    }
  }

  get kinds(): string[] {
    return [...this.byKind.keys()];
  }

  get all(): ChatCommandAdapter[] {
    return [...this.byKind.values()];
  }

  find(kind: string): ChatCommandAdapter | undefined {
    return this.byKind.get(kind);
  }

  /** The adapter of a platform that sends commands. @throws NotFoundError */
  get(kind: string): ChatCommandAdapter {
    const adapter = this.byKind.get(kind);
    if (!adapter || adapter.takesCommands === false) throw new NotFoundError('There is no such resource.');
    return adapter;
  }
}
