import type { Type } from '@nestjs/common';
import { AuditLogReader, OrganizationService, PersonalCredentials, TokenService } from '#access';
import { DeviceDirectory, UserDirectory } from '#core';
import { IncidentListService, IncidentService, IncidentStreams, IncidentTimeline } from '#incidents';
import {
  ConnectorListService,
  ConnectorService,
  ConnectorTest,
  TicketDesk,
  TicketListService,
  TicketRetry,
} from '#itsm';
import { TasksAside } from '#outbox';
import {
  ApprovalListService,
  ApprovalService,
  DecisionExplainer,
  DecisionLog,
  DecisionService,
  PolicyHistory,
  PolicyListService,
  PolicyService,
  PolicySimulator,
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
import {
  DeviceListService,
  DeviceService,
  EnrollmentService,
  OffboardingService,
  UserImporter,
  UserListService,
  UserService,
} from '#users';
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
  DeviceDirectory,
  // Manage
  PolicyService,
  PolicyListService,
  PolicySimulator,
  ApprovalService,
  ApprovalListService,
  UserService,
  OffboardingService,
  UserImporter,
  UserListService,
  EnrollmentService,
  DeviceService,
  DeviceListService,
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
  ConnectorService,
  ConnectorListService,
  ConnectorTest,
  TicketDesk,
  TicketRetry,
  TokenService,
  PersonalCredentials,
  OrganizationService,
  // Read
  PolicyHistory,
  DecisionLog,
  DecisionExplainer,
  StoredUsageEvents,
  IncidentTimeline,
  IncidentStreams,
  DeliveryLog,
  TicketListService,
  UsageReportService,
  AuditLogReader,
  // Operate
  GovernanceHealth,
  GovernanceOperations,
  TasksAside,
  UsageImporter,
];
