import type { JsonObject } from '#core';
import type { ChatLink } from './chat-link.entity.js';

/** The audit log's representation of a chat link. */
export function auditedLink({ platform, workspace, account, userId, role }: ChatLink): JsonObject {
  return { platform, workspace, account, user_id: userId, role };
}
