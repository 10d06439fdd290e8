import type { AuditEntry } from '../audit/audit-log.port.js';
import { ROLES } from '../principals/scopes.js';
import type { AccessToken } from './access-token.entity.js';

/** Audit entry of a new token. */
export function tokenCreated(token: AccessToken): AuditEntry {
  return { action: 'token.created', resourceType: 'token', resourceId: token.id, before: null, after: viewOf(token) };
}

/**
 * Audit entry of a revocation.
 * @param ended number of other tokens that are revoked together with the token
 */
export function tokenRevoked(token: AccessToken, ended = 0): AuditEntry {
  const after = ended === 0 ? null : { tokens_ended: ended };
  return { action: 'token.revoked', resourceType: 'token', resourceId: token.id, before: viewOf(token), after };
}

/** Audit entry of a new secret. */
export function tokenRotated(token: AccessToken): AuditEntry {
  const after = { ...viewOf(token), previous_until: token.previousUntil?.toISOString() ?? null };
  return { action: 'token.rotated', resourceType: 'token', resourceId: token.id, before: null, after };
}

function viewOf(token: AccessToken) {
  return {
    name: token.name,
    role: ROLES.find(role => role === token.role) ?? null,
    scopes: token.grants(),
    user_id: token.userId,
    issued_by: [...token.issuedBy],
    issued_by_nobody: token.issuedByNobody,
    issued_by_token: token.issuedByToken,
    expires_at: token.expiresAt?.toISOString() ?? null,
    ...(token.models && { models: [...token.models] }),
    ...(token.project !== null && { project: token.project }),
    ...(token.tags && { tags: { ...token.tags } }),
  };
}
