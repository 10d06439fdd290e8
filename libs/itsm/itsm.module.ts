import { Module } from '@nestjs/common';
import { ConnectorTest } from './delivery/connector-test.js';
import type { Library } from '#database';
import type { ItsmAdapter } from './adapter/itsm-adapter.port.js';
import { changeProviders } from './changes/changes.providers.js';
import { chatControllers, chatEntities, chatProviders } from './chat/chat.providers.js';
import { ChatConfiguration } from './configuration/chat-configuration.js';
import { ConnectorConfiguration } from './configuration/connector-configuration.js';
import { InboundConfiguration } from './configuration/inbound-configuration.js';
import { AdapterRegistry } from './connectors/adapter-registry.js';
import { ConnectorResources } from './connectors/connector-resources.js';
import { ConnectorForm } from './connectors/connector-form.js';
import { ConnectorListService } from './connectors/connector-list.service.js';
import { ConnectorSecrets } from './connectors/connector-secrets.js';
import { ConnectorService } from './connectors/connector.service.js';
import { ConnectorWork } from './connectors/connector-work.js';
import { deliveryProviders } from './delivery/delivery.providers.js';
import { ConnectorsController } from './http/connectors.controller.js';
import { IncidentTicketsController } from './http/incident-tickets.controller.js';
import { KindsController } from './http/kinds.controller.js';
import { RoutesController } from './http/routes.controller.js';
import { TicketsController } from './http/tickets.controller.js';
import { Connector } from './connectors/connector.entity.js';
import { inboundControllers, inboundEntities, inboundProviders } from './inbound/inbound.providers.js';
import { ITSM_ADAPTERS } from './itsm.options.js';
import { ItsmMigration0700 } from './migrations/0700-itsm.migration.js';
import { reconcileProviders } from './reconcile/reconcile.providers.js';
import { AutomaticTickets } from './tickets/automatic-tickets.js';
import { IncidentDepartments } from './tickets/incident-departments.js';
import { NewTickets } from './tickets/new-tickets.js';
import { ReopenedTickets } from './tickets/reopened-tickets.js';
import { TicketService } from './tickets/ticket.service.js';
import { Ticket } from './tickets/ticket.entity.js';
import { TicketListService } from './tickets/ticket-list.service.js';
import { TicketRetry } from './tickets/ticket-retry.js';
import { TicketRoutes } from './tickets/ticket-routes.js';
import { TicketTimeline } from './tickets/ticket-timeline.js';
import { TicketRetention } from './tickets/ticket-retention.js';
import { TicketChangesMigration0702 } from './migrations/0702-ticket-changes.migration.js';
import { TicketRetentionMigration0701 } from './migrations/0701-ticket-retention.migration.js';
import { TicketReservations } from './tickets/ticket-reservations.js';
import { ItsmOverview } from './tickets/itsm-overview.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Nest module for tickets on external platforms, and for chat commands. */
@Module({})
export class ItsmModule {
  static readonly library: Library = {
    name: 'itsm',
    providers: [
      {
        provide: AdapterRegistry,
        inject: [ITSM_ADAPTERS],
        useFactory: (adapters: readonly ItsmAdapter[]) => new AdapterRegistry(adapters),
      },
      ConnectorForm,
      ConnectorSecrets,
      ConnectorWork,
      ConnectorResources,
      ConnectorService,
      ConnectorListService,
      TicketReservations,
      TicketRetention,
      IncidentDepartments,
      TicketRoutes,
      AutomaticTickets,
      TicketService,
      TicketListService,
      TicketRetry,
      TicketTimeline,
      ItsmOverview,
      ConnectorConfiguration,
      InboundConfiguration,
      ChatConfiguration,
      NewTickets,
      ReopenedTickets,
      ...deliveryProviders,
      ...changeProviders,
      ...inboundProviders,
      ...reconcileProviders,
      ...chatProviders,
    ],
    controllers: [
      KindsController,
      RoutesController,
      ConnectorsController,
      TicketsController,
      IncidentTicketsController,
      ...inboundControllers,
      ...chatControllers,
    ],
    entities: [Connector, Ticket, ...inboundEntities, ...chatEntities],
    migrations: [
      {
        name: '0700_itsm',
        class: ItsmMigration0700,
        tables: [
          'chat_commands',
          'chat_links',
          'chat_notices',
          'chat_workspaces',
          'itsm_connectors',
          'itsm_inbound_settings',
          'itsm_parked_updates',
          'itsm_report_events',
          'tickets',
        ],
      },
      { name: '0701_ticket_retention', class: TicketRetentionMigration0701, tables: [] },
      { name: '0702_ticket_changes', class: TicketChangesMigration0702, tables: [] },
    ],
    personal: PERSONAL_TABLES,
    exports: [ConnectorService, ConnectorListService, ConnectorTest, TicketService, TicketRetry, TicketListService],
  };
}
