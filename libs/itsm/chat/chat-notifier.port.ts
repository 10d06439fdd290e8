import type { Clock } from '#core';
import type { AdapterHttp } from '../adapter/adapter-http.js';

/** A button under a notification. */
export interface ChatButton {
  /** At most 30 characters. */
  readonly label: string;
  /** Command that the button runs for the person who presses it, such as `ack <id>`. */
  readonly command: string;
  readonly style: 'primary' | 'danger' | null;
}

/** Content of a notification. All texts are plain: the notifier escapes the markup of its platform. */
export interface ChatNotice {
  /** One line of at most 140 characters. */
  readonly title: string;
  /** Current state in one line: `Acknowledged by Grace Hopper`. */
  readonly state: string;
  /** At most 8, each a line of at most 200 characters. */
  readonly facts: readonly { readonly name: string; readonly text: string }[];
  /** Address in the dashboard; null if none is known. */
  readonly link: string | null;
  /** Empty once there is nothing left to decide. Platforms without interactive buttons leave them out. */
  readonly buttons: readonly ChatButton[];
}

/** Destination of a notification. */
export interface ChatTarget {
  /** Reaches only the origins in {@link ChatNotifier.origins}. */
  readonly http: AdapterHttp;
  readonly secret: string;
  /** Empty if the platform needs none. */
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
  /** Name of the notification secret of a workspace, such as `bot token`. */
  readonly secretTitle: string;

  /** Reason why a text is no valid secret, as the end of a sentence; undefined if it is valid. */
  secretFault(secret: string): string | undefined;

  /**
   * Reason why a channel is not valid, as the end of a sentence; undefined if it is. An undefined channel means none.
   */
  channelFault(channel: string | undefined): string | undefined;

  /** The origins that calls with this secret reach. */
  origins(secret: string): readonly string[];

  /** Posts a notification. @param key unique per notification, and the same when the post is repeated */
  post(target: ChatTarget, notice: ChatNotice, key: string): Promise<ChatOutcome>;

  /** Replaces a posted message, by the `ref` of the post. Leave it out if messages cannot be changed. */
  update?(target: ChatTarget, ref: string, notice: ChatNotice): Promise<ChatOutcome>;

  /**
   * Finds the message of an earlier post whose answer was lost. Null if there is none, or the platform does not show
   * it. Leave it out if messages cannot be found; the notification is then sent again when in doubt.
   */
  find?(target: ChatTarget, key: string, since: Date): Promise<string | null>;
}
