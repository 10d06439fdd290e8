import type { JsonObject } from '#core';
import { ROLES } from '../principals/scopes.js';
import type { AccessToken } from './access-token.entity.js';

/** An access token as the audit log keeps it: never the token itself. */
export function auditedToken(token: AccessToken): JsonObject {
  return {
    name: token.name,
    role: ROLES.find(role => role === token.role) ?? null,
    scopes: token.grants(),
    user_id: token.userId,
    expires_at: token.expiresAt?.toISOString() ?? null,
  };
}
