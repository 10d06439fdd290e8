/** A channel from the view of the workspace's app. */
export interface SlackChannel {
  readonly id: string;
  /** The name without `#`. */
  readonly name: string;
  isArchived: boolean;
  /** Whether somebody has invited the app. */
  hasApp: boolean;
  /** A private channel is hidden from non-members. */
  readonly isPrivate: boolean;
}

/** Special settings of a workspace. A test can change them at any time. */
export interface SlackConditions {
  /** The state of the bot token. Default: valid. */
  token: 'valid' | 'invalid_auth' | 'token_revoked' | 'account_inactive' | 'token_expired';
  /** Scopes granted to the app. Default: the scopes for posting, commands and reading the history. */
  scopes: Set<string>;
  /** The error that the method returns with status 200. Default: none. */
  failure: 'internal_error' | 'fatal_error' | 'service_unavailable' | null;
  /** Whether a method that fails with `failure` has taken effect anyway. */
  failsAfterwards: boolean;
  /** Messages that a channel accepts per second; `chat.postMessage` "generally allows one". Default: no limit. */
  postsPerSecond: number | null;
  /**
   * Maximum number of messages that `conversations.history` returns. It is 15 for commercially distributed apps.
   * Default: 999.
   */
  historyLimit: number;
}

export function plainWorkspace(): SlackConditions {
  const scopes = new Set(['chat:write', 'commands', 'channels:history', 'groups:history']);
  return { token: 'valid', scopes, failure: null, failsAfterwards: false, postsPerSecond: null, historyLimit: 999 };
}
