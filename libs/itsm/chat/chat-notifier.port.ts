import type { Clock } from '#core';
import type { AdapterHttp } from '../adapter/adapter-http.js';

/** A button under a notification. */
export interface ChatButton {
  /** Label of the button, at most 30 characters. */
  readonly label: string;
  /** Command that runs when a person presses the button, as that person: for example `ack <id>`. */
  readonly command: string;
  readonly style: 'primary' | 'danger' | null;
}

/** Content of a notification. All texts are plain: the notifier escapes the markup of its platform. */
export interface ChatNotice {
  /** Title in one line of at most 140 characters. */
  readonly title: string;
  /** Current state in one line: `Acknowledged by Grace Hopper`. */
  readonly state: string;
  /** Facts, at most 8. Each is a line of at most 200 characters. */
  readonly facts: readonly { readonly name: string; readonly text: string }[];
  /** Address of the subject in the dashboard; null if none is known. */
  readonly link: string | null;
  /** Buttons. Empty once there is nothing left to decide. A platform without interactive buttons omits them. */
  readonly buttons: readonly ChatButton[];
}

/** Destination of a notification. */
export interface ChatTarget {
  /** HTTP client that reaches only the origins in {@link ChatNotifier.origins}. */
  readonly http: AdapterHttp;
  readonly secret: string;
  /** Channel in the workspace. Empty if the platform needs none. */
  readonly channel: string;
  readonly clock: Clock;
}

/**
 * The outcome of a call.
 * - `sent`: the platform has accepted it. `ref` names the message for later changes; null if it cannot be changed.
 * - `refused`: it was certainly not sent, and an operator must act. The message says how.
 * - `retry`: it was certainly not sent; a later attempt may succeed.
 * - `doubt`: it may have been sent.
 */
export type ChatOutcome =
  | { readonly kind: 'sent'; readonly ref: string | null }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'retry'; readonly message: string; readonly afterMs?: number }
  | { readonly kind: 'doubt'; readonly message: string };

/**
 * Sends notifications to a chat platform. Stateless. Methods that call the platform may throw `AdapterHttpError`, which
 * counts as `retry` or `doubt` by its phase; they throw nothing else.
 */
export interface ChatNotifier {
  /** Label of the secret that a workspace needs for notifications, such as `bot token`. */
  readonly secretTitle: string;

  /** Reason why a text is not a valid secret, as the end of a sentence. Undefined if the text is valid. */
  secretFault(secret: string): string | undefined;

  /**
   * Reason why a channel is not valid, as the end of a sentence. Undefined if the channel is valid. The argument is
   * undefined if there is no channel.
   */
  channelFault(channel: string | undefined): string | undefined;

  /** The origins to which calls with this secret are sent. */
  origins(secret: string): readonly string[];

  /**
   * Posts a notification.
   * @param key a key that is unique per notification, and that stays the same when the post is repeated
   */
  post(target: ChatTarget, notice: ChatNotice, key: string): Promise<ChatOutcome>;

  /**
   * Replaces a posted message, which the `ref` of the post identifies. Omit this method if messages cannot be changed.
   */
  update?(target: ChatTarget, ref: string, notice: ChatNotice): Promise<ChatOutcome>;

  /**
   * Finds the message of an earlier post whose answer was lost. Null if there is none, or if the platform does not show
   * it. Omit this method if messages cannot be found. In case of doubt, the notification is then sent a second time.
   */
  find?(target: ChatTarget, key: string, since: Date): Promise<string | null>;
}
