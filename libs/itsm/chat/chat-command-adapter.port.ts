import type { JsonObject } from '#core';
import type { ChatNotifier } from './chat-notifier.port.js';

/** The raw request of a chat platform. */
export interface ChatRequest {
  /** Names in lower case; repeated headers as Node merges them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact bytes that were signed. */
  readonly body: Buffer;
}

/** A chat command. Untrusted until the signature is verified. */
export interface ChatCommand {
  /** Id of the workspace. */
  readonly workspace: string;
  /** Id of the account of the author. Names are never used for authorization. */
  readonly account: string;
  /** The command itself, such as `/service-alerts`. */
  readonly name: string;
  /** The text after the command. */
  readonly text: string;
  /** Unique id of this request, to detect repetitions: the platform's own id, or its signature. */
  readonly requestId: string;
  /** URL for a later answer; empty if none is possible. */
  readonly replyUrl: string;
}

/** A pressed button of a notification. Untrusted until the signature is verified. */
export interface ChatPress extends Omit<ChatCommand, 'name'> {
  /** The `command` of the button; empty for a button that only opens a link. */
  readonly text: string;
}

/** Adapter of a chat platform. Stateless, without network calls or business logic. */
export abstract class ChatCommandAdapter {
  /**
   * Identifies the platform, such as `slack`. Stored with workspaces and links, and part of
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
   * Whether the request has a valid, recent signature under this secret. Must compare in constant time. Pure.
   * @param now the current time
   */
  abstract isAuthentic(request: ChatRequest, secret: string, now: Date): boolean;

  /** Whether later answers may be sent to the URL. Accepted URLs are called over `https:` without redirects. */
  abstract isReplyUrl(url: string): boolean;

  /** An answer that only the author sees. The text is plain: markup of the platform is escaped. */
  abstract reply(text: string): JsonObject;

  /** False if the platform sends no commands; its command methods are then never called. Default: true. */
  readonly takesCommands?: boolean;

  /**
   * Parses a request for a pressed button; null for other requests. Leave it out if the platform has no buttons. Pure.
   */
  readPress?(request: ChatRequest): ChatPress | null;

  /** Sends notifications. Leave it out if the platform gets none. */
  readonly notifier?: ChatNotifier;
}
