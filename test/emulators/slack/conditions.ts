/** A channel as the app of a workspace sees it. */
export interface SlackChannel {
  readonly id: string;
  /** Without `#`. */
  readonly name: string;
  isArchived: boolean;
  /** Whether somebody has invited the app. */
  hasApp: boolean;
  /** A private channel is not found by those who are not in it. */
  readonly isPrivate: boolean;
}

/** What is unusual about a workspace. A test changes it at any time. */
export interface SlackConditions {
  /** What became of the bot token. Default: valid. */
  token: 'valid' | 'invalid_auth' | 'token_revoked' | 'account_inactive' | 'token_expired';
  /** Scopes that the app was granted. Default: those of posting, of commands and of reading the history. */
  scopes: Set<string>;
  /** The method fails like this, in a 200. Default: not. */
  failure: 'internal_error' | 'fatal_error' | 'service_unavailable' | null;
  /** Whether a method that fails with `failure` has done its work all the same. */
  failsAfterwards: boolean;
  /** Messages that a channel takes in a second; `chat.postMessage` "generally allows one". Default: no limit. */
  postsPerSecond: number | null;
  /** Messages that `conversations.history` shows at most; 15 to apps that are distributed commercially. Default: 999. */
  historyLimit: number;
}

export function plainWorkspace(): SlackConditions {
  const scopes = new Set(['chat:write', 'commands', 'channels:history', 'groups:history']);
  return { token: 'valid', scopes, failure: null, failsAfterwards: false, postsPerSecond: null, historyLimit: 999 };
}
