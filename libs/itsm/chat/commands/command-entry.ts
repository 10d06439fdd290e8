import { createHash } from 'node:crypto';
import { newId } from '#core';
import type { ChatCommandAdapter, ChatPress } from '../chat-command-adapter.port.js';
import type { NewChatCommand } from './chat-command-rows.js';

/** Metadata of a command's request. */
export interface CommandOrigin {
  readonly address: string | null;
  readonly requestId: string | null;
}

/** The row for a command or for a pressed button. @param replyUrl a permitted URL, or empty */
export function entryOf(
  { kind: platform }: ChatCommandAdapter,
  { workspace, account, text, requestId, replyUrl }: ChatPress,
  { orgId, now, origin }: { orgId: string; now: Date; origin: CommandOrigin },
): NewChatCommand {
  const requestHash = createHash('sha256').update(`${workspace} ${requestId}`).digest();
  const said = { platform, workspace, account, text: storable(text), replyUrl };
  return { orgId, id: newId(now), ...said, ...origin, requestHash };
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
