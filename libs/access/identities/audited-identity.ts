import type { AuditEntry } from '../audit/audit-log.port.js';
import type { UserIdentity } from './user-identity.entity.js';

/** Audit entry of a change to a link; `verb` is part of the action. */
export function identityEntry(verb: 'linked' | 'unlinked' | 'ended', identity: UserIdentity): AuditEntry {
  const { id, issuer, subject, userId } = identity;
  const view = { issuer, subject, user_id: userId };
  return {
    action: `identity.${verb}`,
    resourceType: 'identity',
    resourceId: id,
    before: verb === 'linked' ? null : view,
    after: verb === 'linked' ? view : null,
  };
}
