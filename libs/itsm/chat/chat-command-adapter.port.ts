import type { JsonObject } from '#core';
import type { ChatNotifier } from './chat-notifier.port.js';

/** The raw request of a chat platform. */
export interface ChatRequest {
  /** Headers with names in lower case. Repeated headers are merged as Node merges them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact bytes that the platform has signed. */
  readonly body: Buffer;
}

/** A chat command. Do not trust its content before the signature is verified. */
export interface ChatCommand {
  /** Id of the workspace. */
  readonly workspace: string;
  /** Id of the author's account. An account's name must never be used for authorization. */
  readonly account: string;
  /** The command itself, such as `/service-alerts`. */
  readonly name: string;
  /** The text after the name of the command. */
  readonly text: string;
  /**
   * Unique id of this request, with which repetitions are detected: the platform's id of the request, or its signature.
   */
  readonly requestId: string;
  /** URL to which a later answer is sent; empty if none is possible. */
  readonly replyUrl: string;
}

/** A pressed button of a notification. Do not trust its content before the signature is verified. */
export interface ChatPress extends Omit<ChatCommand, 'name'> {
  /** The `command` of the button. Empty for a button that only opens a link. */
  readonly text: string;
}

/** Adapter of a chat platform. It is stateless, and contains neither network calls nor business logic. */
export abstract class ChatCommandAdapter {
  /**
   * Name of the platform, such as `slack`. It is stored with workspaces and links, and is part of
   * `/v1/integrations/<kind>/commands`.
   */
  abstract readonly kind: string;

  /** Display name of the platform. */
  abstract readonly title: string;

  /** Whether a text can be the id of a workspace. */
  abstract isWorkspace(text: string): boolean;

  /** Whether a text can be the id of an account. */
  abstract isAccount(text: string): boolean;

  /** Parses a request; null if it is not a command of this platform. Pure. */
  abstract read(request: ChatRequest): ChatCommand | null;

  /** Whether the request is a health check of the platform, which expects an empty answer. */
  abstract isProbe(request: ChatRequest): boolean;

  /**
   * Whether the request has a valid and recent signature that was made with this secret. Must compare in constant time.
   * Pure.
   * @param now the current time
   */
  abstract isAuthentic(request: ChatRequest, secret: string, now: Date): boolean;

  /**
   * Whether later answers may be sent to the URL. The service calls an accepted URL over `https:` and follows no
   * redirects.
   */
  abstract isReplyUrl(url: string): boolean;

  /**
   * An answer that only the author of the command sees. `text` is plain text, in which the adapter must escape the
   * markup of the platform.
   */
  abstract reply(text: string): JsonObject;

  /** Whether the platform sends commands. If false, the methods for commands are never called. Default: true. */
  readonly takesCommands?: boolean;

  /**
   * Parses a request for a pressed button; null for other requests. Omit this method if the platform has no buttons.
   * Pure.
   */
  readPress?(request: ChatRequest): ChatPress | null;

  /** Sends notifications. Omit it if the platform gets no notifications. */
  readonly notifier?: ChatNotifier;
}
