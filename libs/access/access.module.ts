import { Module } from '@nestjs/common';
import { OrganizationStates } from '#core';
import type { Library } from '#database';
import { AuditChainVerifier } from './audit/audit-chain-verifier.js';
import { AuditHeads } from './audit/audit-heads.js';
import { AuditHolds } from './audit/audit-holds.js';
import { AuditRetention } from './audit/audit-retention.js';
import { AuditRetentionMigration0224 } from './migrations/0224-audit-retention.migration.js';
import { AuditRedactor } from './audit/audit-redactor.js';
import { AuditLogController } from './routes/audit-log.controller.js';
import { AuditLog } from './audit/audit-log.port.js';
import { AuditLogReader } from './audit/audit-log-reader.js';
import { StoredAuditLog } from './audit/stored-audit-log.js';
import { PersonalCredentials } from './credentials/personal-credentials.js';
import { AnswerWriter } from './http/answer-writer.js';
import { LongCsvs } from './http/long-csvs.js';
import { ClientAddress } from './request/client-address.js';
import { CredentialRecheck } from './http/credential-recheck.js';
import { IdentityController } from './routes/identity.controller.js';
import { IdentityLinks } from './identities/identity-links.js';
import { IdentityListService } from './identities/identity-list.service.js';
import { KnownIdentities } from './identities/known-identities.js';
import { PersonalIdentities } from './identities/personal-identities.js';
import { UserIdentity } from './identities/user-identity.entity.js';
import { OutageLog } from './http/outage-log.js';
import { Refusals } from './http/refusals.js';
import { SignIns } from './sign-in/sign-ins.js';
import { RequestLimiter } from './limits/request-limiter.js';
import { StoredRequestLimiter } from './limits/stored-request-limiter.js';
import { AccessMigration0200 } from './migrations/0200-access.migration.js';
import { IdentitiesMigration0221 } from './migrations/0221-identities.migration.js';
import { SuspensionMigration0223 } from './migrations/0223-suspension.migration.js';
import { TokenWarningsMigration0222 } from './migrations/0222-token-warnings.migration.js';
import { DeletionHolds } from './organizations/deletion-holds.js';
import { OrganizationController } from './routes/organization.controller.js';
import { Organization } from './organizations/organization.entity.js';
import { OrganizationService } from './organizations/organization.service.js';
import { OrganizationSuspension } from './organizations/organization-suspension.js';
import { StoredOrganizationStates } from './organizations/stored-organization-states.js';
import { BearerPrincipalResolver } from './sign-in/bearer-principal-resolver.js';
import { JwtPrincipals } from './sign-in/jwt-principals.js';
import { JwtSignIns } from './sign-in/jwt-sign-ins.js';
import { JwtVerifier } from './sign-in/jwt-verifier.js';
import { PrincipalResolver } from './sign-in/principal-resolver.port.js';
import { RequestPrincipals } from './sign-in/request-principals.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import { TokenPrincipals } from './sign-in/token-principals.js';
import { LoggedSecurityEvents } from './security/logged-security-events.js';
import { SecurityEventFeed } from './security/security-event-feed.js';
import { SecurityEvents } from './security/security-events.port.js';
import { AccessToken } from './tokens/access-token.entity.js';
import { MachineTokens } from './tokens/machine-tokens.js';
import { PersonalTokens } from './tokens/personal-tokens.js';
import { SuppliedTokens } from './tokens/supplied-tokens.js';
import { TokenController } from './routes/token.controller.js';
import { TokenListService } from './tokens/token-list.service.js';
import { TokenRotation } from './tokens/token-rotation.js';
import { TokenService } from './tokens/token.service.js';
import { TokenMetrics } from './tokens/token-metrics.js';
import { TokenUse } from './tokens/token-use.js';
import { TokenAllowances } from './tokens/token-allowances.js';
import { TokenKeys } from './tokens/token-keys.js';
import { TokenWarnings } from './tokens/token-warnings.js';
import { TokenVerifier } from './tokens/token-verifier.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Organizations, access tokens, request limits and the audit log. */
@Module({})
export class AccessModule {
  static readonly library: Library = {
    name: 'access',
    providers: [
      AnswerWriter,
      LongCsvs,
      ClientAddress,
      { provide: AuditLog, useClass: StoredAuditLog },
      AuditChainVerifier,
      AuditHeads,
      AuditHolds,
      DeletionHolds,
      AuditRedactor,
      AuditRetention,
      AuditLogReader,
      { provide: RequestLimiter, useClass: StoredRequestLimiter },
      SecurityEventFeed,
      SignInLimits,
      SignIns,
      OutageLog,
      Refusals,
      OrganizationService,
      OrganizationSuspension,
      { provide: OrganizationStates, useClass: StoredOrganizationStates },
      PersonalCredentials,
      PersonalTokens,
      TokenRotation,
      TokenService,
      TokenListService,
      SuppliedTokens,
      MachineTokens,
      TokenUse,
      TokenMetrics,
      TokenVerifier,
      TokenWarnings,
      TokenAllowances,
      TokenKeys,
      KnownIdentities,
      IdentityLinks,
      IdentityListService,
      PersonalIdentities,
      JwtVerifier,
      JwtPrincipals,
      JwtSignIns,
      CredentialRecheck,
      RequestPrincipals,
      TokenPrincipals,
    ],
    ports: [
      { provide: PrincipalResolver, useClass: BearerPrincipalResolver },
      { provide: SecurityEvents, useClass: LoggedSecurityEvents },
    ],
    controllers: [OrganizationController, TokenController, IdentityController, AuditLogController],
    entities: [Organization, AccessToken, UserIdentity],
    migrations: [
      {
        name: '0200_access',
        class: AccessMigration0200,
        tables: ['access_tokens', 'audit_heads', 'audit_log', 'audit_redactions', 'organizations', 'rate_limits'],
      },
      { name: '0221_identities', class: IdentitiesMigration0221, tables: ['identities'] },
      { name: '0222_token_warnings', class: TokenWarningsMigration0222, tables: [] },
      { name: '0223_suspension', class: SuspensionMigration0223, tables: [] },
      { name: '0224_audit_retention', class: AuditRetentionMigration0224, tables: [] },
    ],
    personal: PERSONAL_TABLES,
    exports: [TokenService, TokenRotation, TokenListService, PersonalCredentials, OrganizationService, AuditLogReader],
  };
}
