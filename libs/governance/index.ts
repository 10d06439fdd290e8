// Import the module, with a database and keys.
export { GovernanceModule } from './governance.module.js';
export type {
  ForRootAsyncOptions,
  ForRootOptions,
  GovernanceOptions,
  GovernanceStructure,
} from './governance.options.js';
export type { Implementation } from './composition/implementation.js';
export type { LibraryModule } from '#database';
export { CallsModule } from '#calls';
export { AnomaliesModule } from '#anomalies';
export { DashboardModule, type DashboardAccess, type DashboardStructure, type DashboardUser } from '#dashboard';
export { GatewayModule } from '#gateway';
export { IntegrationsModule } from '#integrations';
export { ItsmModule } from '#itsm';
export { PolicyModule } from '#policy';
export { SiemModule } from '#siem';
export { UsageModule } from '#usage';
export { DevicesModule, UsersModule } from '#users';
export { WebhooksModule } from '#webhooks';

// Request a decision before a call, and report usage after the call
export { Governance, type EnsuredOrganization, type RequestedDecision, type WantedOrganization } from './governance.js';
export {
  Governed,
  GovernedCalls,
  GovernedDecision,
  RefusedError,
  type AbortChoice,
  type CallMade,
  type CallOptions,
  type CallRequest,
  type CallUsage,
  type GovernedRoute,
  type MeterOptions,
  type OpenCall,
  type OpenOptions,
  type RefusalCode,
  type RefusalStatus,
  type UnavailableChoice,
} from '#calls';
export type { DecideOptions, Decision, DecisionInput } from '#policy';
export { ProviderListService, ProviderService, type GatewayOptions, type ProviderSettings } from '#gateway';
export type { ExtendedReservation, RecordOptions, UsageEventInput, UsageReceipt } from '#usage';
export { OrganizationNotFoundError, OrganizationSuspendedError } from '#access';
export type { HostEntityManager, HostTransaction } from '#database';

// Operate the module
export { readEnvironment, type EnvironmentOptions, type EnvironmentVariables } from './environment/read-environment.js';
export { ENVIRONMENT_SETTINGS, nearestName, type EnvironmentSetting } from './environment/settings.js';
export { createOpenApiDocument, withoutGovernanceRoutes } from './openapi.js';
export { GovernanceHealth, type HealthDto } from './health/governance-health.js';
export { MIGRATIONS } from './composition/libraries.js';
export { runMigrations } from './prepare-schema.js';
export { retentionOf, type Retention } from './retention.js';
export { GovernanceOperations } from './governance-operations.js';
export type { SuspensionState } from '#access';
export type { DeletionOrder, DeletionReport } from './deletion/organization-deletion.js';
export type { ExportedFile, ExportManifest } from './deletion/export-folder.js';
export type { FirstOrganization, NewOrganization, WantedFirst } from './installation.js';
export { Examination } from './examination.js';
export { grantStatements } from './doctor/grants.js';
export type { Finding } from './doctor/check-up.js';
export { DeadLetters } from '#outbox';
export type { RewrapReport, UnreadableSecret } from '#secrets';
export type { ResealReport } from '#access';

// Uninstall the module
export {
  inspectInstallation,
  uninstall,
  type Footprint,
  type LeftBehind,
  type OpenConnection,
  type RoleFootprint,
  type SchemaFootprint,
  type UninstallOptions,
  type UninstallReport,
} from '#database';

// Receive security events
export {
  SECURITY_EVENT_TYPES,
  SecurityEvents,
  type SecurityActor,
  type SecurityEvent,
  type SecurityEventType,
} from '#access';

// Send the audit log and security events to a SIEM
export { AuditSink, type AuditRecord, type SiemOptions } from '#siem';

// Receive domain events
export {
  EVENT_TYPES,
  OnGovernanceEvent,
  type AnomalyDetectedData,
  type BudgetData,
  type BudgetScope,
  type DeviceData,
  type EventDataOf,
  type EventEnvelope,
  type EventType,
  type EventWindow,
  type PolicyViolationData,
  type UserLockedOutData,
} from '#outbox';

// Recognize routes of this package in the host's global guards and interceptors
export { isGovernanceRoute } from '#access';

// Answer errors of the host's own routes with the same body
export { ErrorFilter, type ErrorAnswer, type ErrorBody } from '#access';

// Distinguish the errors that services throw
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  GovernanceError,
  NotFoundError,
  UnavailableError,
  type ErrorCode,
  type FieldError,
} from '#core';

// Results of list methods
export type { Page, PageQuery } from '#core';

// Replace a part by the host's own
export {
  Clock,
  DeviceDirectory,
  PricingCatalog,
  SecretCipher,
  SecretUnreadableError,
  SpendGuard,
  UserDirectory,
  type DeviceStatus,
  type DirectoryUser,
  type PricedTokens,
  type PriceQuote,
  type PriceRequest,
  type RefusingBudget,
  type SealedSecret,
  type SecretPlace,
  type SpendRequest,
  type SpendReservation,
  type SpendVerdict,
  type SqlTransaction,
  type UserReference,
  type UserStatus,
} from '#core';
export {
  BearerPrincipalResolver,
  PrincipalResolver,
  type Actor,
  type HttpRequest,
  type IdentityProvider,
  type Principal,
} from '#access';

// Roles and scopes
export { operatorActor, ROLES, ROLE_SCOPES, SCOPES, type Role, type Scope } from '#access';

// Manage organizations and tokens; read the audit log
export {
  AuditLogReader,
  OrganizationService,
  PersonalCredentials,
  TokenListService,
  TokenRotation,
  TokenService,
  type AccessToken,
  type AuditEntry,
  type AuditFilters,
  type CredentialStore,
  type IssuedToken,
  type Leaver,
  type OperatorTokenRequest,
  type Organization,
  type OrganizationChanges,
  type ShownAuditRow,
  type TokenListQuery,
  type TokenRequest,
} from '#access';

// Manage the configuration as a file
export { ConfigurationService, type AppliedObject, type ApplyOptions, type ApplyReport } from '#configuration';

// Import history
export { UsageImporter, type ImportRequest } from './usage-import/usage-importer.js';
export type { ImportProgress } from './usage-import/import-checkpoint.js';
export { MAPPABLE_FIELDS } from './usage-import/row-mapping.js';
export { TIME_FORMATS, type TimeFormat } from './usage-import/time-format.js';
