import type { JsonObject } from '#core';

/** A request of a chat platform, as it came. */
export interface ChatRequest {
  /** Names in lower case; of a header that came twice, what Node makes of it. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Byte for byte what was signed. */
  readonly body: Buffer;
}

/** What somebody typed in a chat. Nothing of it may be believed before the signature was checked. */
export interface ChatCommand {
  /** Id of the workspace. */
  readonly workspace: string;
  /** Id of the account of whoever typed it. Names decide nothing. */
  readonly account: string;
  /** The command itself, such as `/service-alerts`. */
  readonly name: string;
  /** What came after it. */
  readonly text: string;
  /** What tells this request from every other, against repetitions: the platform's own id of it, or else its signature. */
  readonly requestId: string;
  /** Where a later answer goes; empty where none can. */
  readonly replyUrl: string;
}

/** A chat platform in which people type commands. Keeps nothing, calls nothing, decides nothing about incidents. */
export abstract class ChatCommandAdapter {
  /** Which platform: `slack`. Stands in stored workspaces and links, and in the path `/v1/integrations/<kind>/commands`. */
  abstract readonly kind: string;

  /** Its name for people. */
  abstract readonly title: string;

  /** Whether a text can be the id of a workspace. */
  abstract isWorkspace(text: string): boolean;

  /** Whether a text can be the id of an account. */
  abstract isAccount(text: string): boolean;

  /** Reads a request; null where it is no command of this platform. Pure. */
  abstract read(request: ChatRequest): ChatCommand | null;

  /** Whether the request is a check of the platform that wants an empty answer and means nothing. */
  abstract isProbe(request: ChatRequest): boolean;

  /**
   * Whether the platform signed the request with this secret, not long ago. Must compare in constant time. Pure.
   * @param now what the time is here
   */
  abstract isAuthentic(request: ChatRequest, secret: string, now: Date): boolean;

  /** Whether later answers may be sent there. What it lets through is called over `https:` without redirects. */
  abstract isReplyUrl(url: string): boolean;

  /** An answer that only the person who asked sees. The text is plain: what the platform would read as markup is escaped. */
  abstract reply(text: string): JsonObject;
}
