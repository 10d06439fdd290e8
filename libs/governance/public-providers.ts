import type { Type } from '@nestjs/common';
import { AuditLogReader, OrganizationService, TokenService } from '#access';
import { UserDirectory } from '#core';
import { IncidentListService, IncidentService, IncidentStreams, IncidentTimeline } from '#incidents';
import { TasksAside } from '#outbox';
import {
  ApprovalListService,
  ApprovalService,
  DecisionLog,
  DecisionService,
  PolicyListService,
  PolicyService,
  ReleaseService,
} from '#policy';
import {
  BudgetListService,
  BudgetService,
  PriceListService,
  Reratings,
  StoredUsageEvents,
  UnpricedModels,
  UsageIngestion,
  UsageReportService,
} from '#usage';
import { OffboardingService, UserImporter, UserListService, UserService } from '#users';
import {
  DeliveryLog,
  DeliveryRetry,
  PingService,
  RecoveryService,
  WebhookListService,
  WebhookService,
} from '#webhooks';
import { Governance } from './governance.js';
import { GovernanceOperations } from './governance-operations.js';
import { GovernanceHealth } from './health/governance-health.js';
import { UsageImporter } from './usage-import/usage-importer.js';

/** What a host may inject: services, and the directory as a port, because its class token is abstract. */
type Injectable = Type<unknown> | (abstract new (...args: never[]) => unknown);

/** The services that a host may inject. */
export const PUBLIC_PROVIDERS: readonly Injectable[] = [
  // Ask before a call, report after it
  Governance,
  DecisionService,
  UsageIngestion,
  ReleaseService,
  UserDirectory,
  // Manage
  PolicyService,
  PolicyListService,
  ApprovalService,
  ApprovalListService,
  UserService,
  OffboardingService,
  UserImporter,
  UserListService,
  PriceListService,
  BudgetService,
  BudgetListService,
  UnpricedModels,
  Reratings,
  IncidentService,
  IncidentListService,
  WebhookService,
  WebhookListService,
  DeliveryRetry,
  RecoveryService,
  PingService,
  TokenService,
  OrganizationService,
  // Read
  DecisionLog,
  StoredUsageEvents,
  IncidentTimeline,
  IncidentStreams,
  DeliveryLog,
  UsageReportService,
  AuditLogReader,
  // Operate
  GovernanceHealth,
  GovernanceOperations,
  TasksAside,
  UsageImporter,
];
