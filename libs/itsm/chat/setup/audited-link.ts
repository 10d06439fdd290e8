import type { JsonObject } from '#core';
import type { ChatLink } from './chat-link.entity.js';

/** A chat link as the audit log keeps it. */
export function auditedLink({ platform, workspace, account, userId, role }: ChatLink): JsonObject {
  return { platform, workspace, account, user_id: userId, role };
}
