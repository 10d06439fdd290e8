// Authentication, authorization, request limits and the audit log.
export { ACCESS_OPTIONS, ACCESS_RULES, type AccessOptions } from './access.options.js';
export { AccessModule } from './access.module.js';
export * from './http/index.js';
export { acceptsCsv, CsvTable, type CsvColumn } from './csv/index.js';

// Organizations
export { Organization } from './organizations/organization.entity.js';
export {
  ORGANIZATION_TOPIC,
  OrganizationService,
  type OrganizationChanges,
  type OrganizationState,
} from './organizations/organization.service.js';
export { DeletionHolds } from './organizations/deletion-holds.js';
export { OrganizationSuspension, type SuspensionState } from './organizations/organization-suspension.js';
export { OrganizationNotFoundError, OrganizationSuspendedError } from './organizations/organization.errors.js';
export { UpdateOrganizationDto } from './routes/organization.dto.js';
export { knownTimeZone } from './organizations/time-zone.js';

// Credentials and permissions
export { PersonalCredentials, type CredentialStore, type Leaver } from './credentials/personal-credentials.js';
export { IdentityLinks } from './identities/identity-links.js';
export { BearerPrincipalResolver } from './sign-in/bearer-principal-resolver.js';
export { readClaims, rolesNamed } from './sign-in/claims.js';
export type { IdentityProvider } from './sign-in/identity-provider.js';
export { JwtPrincipals, type RefusedBearer } from './sign-in/jwt-principals.js';
export { peopleBehind } from './principals/people-behind.js';
export { operatorActor } from './principals/operator-actor.js';
export { isPerson, PRINCIPAL_KINDS, type Actor, type Principal } from './principals/principal.js';
export { PrincipalResolver } from './sign-in/principal-resolver.port.js';
export { PrincipalResolvers } from './sign-in/principal-resolvers.js';
export { RequestPrincipals } from './sign-in/request-principals.js';
export { SignInLimits } from './sign-in/sign-in-limits.js';
export { TokenPrincipals } from './sign-in/token-principals.js';
export { ROLE_SCOPES, ROLES, SCOPES, type Role, type Scope } from './principals/scopes.js';
export { AccessToken } from './tokens/access-token.entity.js';
export type { OperatorTokenRequest, TokenRequest } from './tokens/token-grant.js';
export { MachineTokens } from './tokens/machine-tokens.js';
export { SuppliedTokenLookup } from './tokens/supplied-token-lookup.js';
export { SuppliedTokens } from './tokens/supplied-tokens.js';
export { TokenController } from './routes/token.controller.js';
export { TokenListService, type TokenListQuery } from './tokens/token-list.service.js';
export {
  TokenAllowances,
  type ShownAllowance,
  type TokenAllowance,
  type TokenAllowanceStore,
} from './tokens/token-allowances.js';
export { HOLDS } from './tokens/token.sql.js';
export { TokenWarnings, type ExpiringToken } from './tokens/token-warnings.js';
export { TokenRotation } from './tokens/token-rotation.js';
export { TokenService, type IssuedToken } from './tokens/token.service.js';

// Security events
export { SecurityEventFeed } from './security/security-event-feed.js';
export {
  SECURITY_EVENT_TYPES,
  SecurityEvents,
  type SecurityActor,
  type SecurityEvent,
  type SecurityEventType,
} from './security/security-events.port.js';

// Server-sent events
export { EventStream, type StreamAudience } from './streams/event-stream.js';
export { EventStreams } from './streams/event-streams.js';
export { recheckStreams, StreamGroup, type StreamSource } from './streams/stream-group.js';

export { TokenBuckets } from './limits/token-buckets.js';

// The audit log
export { AuditChainReader, type ChainReport } from './audit/audit-chain-reader.js';
export { AuditChainVerifier } from './audit/audit-chain-verifier.js';
export { AuditHeads, type ResealReport } from './audit/audit-heads.js';
export { AuditHolds } from './audit/audit-holds.js';
export { AuditRedactor } from './audit/audit-redactor.js';
export { AuditLog, type AuditEntry } from './audit/audit-log.port.js';
export { AuditLogReader, type AuditFilters, type ShownAuditRow } from './audit/audit-log-reader.js';
