// Who may ask, how they are refused, and what is remembered of what they changed.
export { ACCESS_OPTIONS, type AccessOptions } from './access.options.js';
export { AuditLog, type AuditEntry } from './audit/audit-log.port.js';
export * from './http/index.js';
export type { IdentityProvider } from './principals/identity-provider.js';
export type { Actor, Principal } from './principals/principal.js';
export { PrincipalResolver } from './principals/principal-resolver.port.js';
export { ROLE_SCOPES, ROLES, SCOPES, type Role, type Scope } from './principals/scopes.js';
