import { BadRequestError } from '#core';
import type { ChatCommandAdapter } from '../chat-command-adapter.port.js';
import type { Notifications } from './notification-routing.js';

/** The settings of a workspace that must be validated. */
interface CheckedSettings {
  readonly signingSecret?: string | undefined;
  readonly notificationSecret?: string | undefined;
  readonly notifications?: Notifications | undefined;
}

const KINDS = ['incidents', 'approvals'] as const;

/** Validates the data of a new workspace. @throws BadRequestError naming the invalid field */
export function checkWorkspace(adapter: ChatCommandAdapter, workspace: string, settings: CheckedSettings): void {
  const { title, takesCommands = true } = adapter;
  checkWorkspaceId(adapter, workspace);
  if (takesCommands && settings.signingSecret === undefined) {
    throw BadRequestError.field('signing_secret', `is required for ${title}`);
  }
  if (!takesCommands && settings.notificationSecret === undefined) {
    throw BadRequestError.field('notification_secret', `is required for ${title}`);
  }
  checkSettings(adapter, settings, { secretNames: [] });
}

/** Validates the id of a workspace. @throws BadRequestError if the platform has no ids of this form */
export function checkWorkspaceId(adapter: ChatCommandAdapter, workspace: string): void {
  if (adapter.isWorkspace(workspace)) return;
  throw BadRequestError.field('workspace', `must be the id of a workspace of ${adapter.title}`);
}

/**
 * Validates the settings that result from a change.
 * @param stored names of the secrets that are already stored
 * @throws BadRequestError naming the invalid field
 */
export function checkSettings(
  { title, takesCommands = true, notifier }: ChatCommandAdapter,
  { signingSecret, notificationSecret, notifications = {} }: CheckedSettings,
  { secretNames }: { readonly secretNames: readonly string[] },
): void {
  if (!takesCommands && signingSecret !== undefined) {
    throw BadRequestError.field('signing_secret', `is not used by ${title}, which sends no commands; leave it out`);
  }
  if (notificationSecret !== undefined) {
    const fault = notifier ? notifier.secretFault(notificationSecret) : `is not used: ${title} gets no notifications`;
    if (fault !== undefined) throw BadRequestError.field('notification_secret', fault);
  }
  for (const kind of KINDS) {
    const routing = notifications[kind];
    if (!routing) continue;
    if (!notifier) throw BadRequestError.field(`notifications.${kind}`, `cannot be set: ${title} gets none`);
    const fault = notifier.channelFault(routing.channel);
    if (fault !== undefined) throw BadRequestError.field(`notifications.${kind}.channel`, fault);
    if (notificationSecret === undefined && !secretNames.includes('notification_secret')) {
      throw BadRequestError.field('notification_secret', `is required for notifications: the ${notifier.secretTitle}`);
    }
  }
}
