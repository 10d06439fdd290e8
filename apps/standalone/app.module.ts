import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';
import type { StandaloneConfig } from './config.js';
import type { DatabaseHandle } from './database.js';

/** The module as any host imports it, with options from the environment. */
@Module({})
export class AppModule {
  static with(config: StandaloneConfig, database: DatabaseHandle, part: { controllers: boolean }): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GovernanceModule.forRoot({
          database: {
            url: database.url,
            migrations: 'run',
            ...(database.migrationUrl === undefined ? {} : { migrationUrl: database.migrationUrl }),
          },
          keys: config.keys,
          requestsPerMinute: config.requestsPerMinute,
          failedSignInsPerMinute: config.failedSignInsPerMinute,
          trustedProxies: config.trustedProxies,
          egress: config.egress,
          devices: {
            revokeOnDeparture: config.revokeDevicesOfLeavers,
            ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
          },
          itsm: config.itsm,
          // A command does its own work and ends; what waits is for the server.
          outbox: { workers: part.controllers, retentionDays: config.retentionDays },
          usage: { retentionDays: config.usageRetentionDays },
          decisions: { retentionDays: config.decisionRetentionDays, sampleAllowed: config.decisionSample },
          approvals: { requirePerson: config.approvalsRequirePerson },
          webhooks: { auditAnchorHours: config.auditAnchorHours },
          budgets: { reservationMinutes: config.reservationMinutes },
          identityProviders: config.identityProviders,
          controllers: part.controllers,
          health: part.controllers,
          dashboard: { sessions: true },
        }),
      ],
    };
  }
}
