import { AccessModule } from '#access';
import { AnomaliesModule } from '#anomalies';
import { CallsModule } from '#calls';
import { ConfigurationModule } from '#configuration';
import { DashboardModule } from '#dashboard';
import { DatabaseModule, type Composition, type LibraryModule, type NamedMigration } from '#database';
import { GatewayModule } from '#gateway';
import { IncidentsModule } from '#incidents';
import { IntegrationsModule } from '#integrations';
import { ItsmModule } from '#itsm';
import { OutboxModule } from '#outbox';
import { PolicyModule } from '#policy';
import { SchedulerModule } from '#scheduler';
import { SecretsModule } from '#secrets';
import { SiemModule } from '#siem';
import { UsageModule } from '#usage';
import { DevicesModule, UsersModule } from '#users';
import { WebhooksModule } from '#webhooks';
import { OperationsMigration0900 } from '../migrations/0900-operations.migration.js';

/** The libraries that are part of every composition. All other libraries depend on them. */
export const CORE: readonly LibraryModule[] = [
  DatabaseModule,
  SchedulerModule,
  SecretsModule,
  OutboxModule,
  IncidentsModule,
  AccessModule,
  ConfigurationModule,
];

/** The libraries that a host may omit. */
// Express matches routes in the order of this list. Routes in the request path of gateways come first.
export const LIBRARIES: readonly LibraryModule[] = [
  GatewayModule,
  PolicyModule,
  UsageModule,
  CallsModule,
  IntegrationsModule,
  UsersModule,
  DevicesModule,
  ItsmModule,
  WebhooksModule,
  AnomaliesModule,
  SiemModule,
  // Comes last, because the page handles all paths that no other route handles.
  DashboardModule,
];

/** Entities and migrations of the core and of the given libraries. */
export function compositionOf(libraries: readonly LibraryModule[]): Composition {
  const all = [...CORE, ...libraries].map(({ library }) => library);
  return {
    entities: all.flatMap(({ entities }) => entities),
    personal: all.flatMap(({ personal = [] }) => personal),
    migrations: [
      ...all.flatMap(({ migrations }) => migrations),
      { name: '0900_operations', class: OperationsMigration0900 },
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** The migrations of all libraries, in the order in which they run. */
export const MIGRATIONS: readonly NamedMigration[] = compositionOf(LIBRARIES).migrations;
