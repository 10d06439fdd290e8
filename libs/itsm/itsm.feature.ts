import type { Feature } from '#database';
import type { ItsmAdapter } from './adapter/itsm-adapter.port.js';
import { chatControllers, chatEntities, chatProviders } from './chat/chat.parts.js';
import { AdapterRegistry } from './connectors/adapter-registry.js';
import { Connector } from './connectors/connector.entity.js';
import { inboundControllers, inboundEntities, inboundProviders } from './inbound/inbound.parts.js';
import { ITSM_ADAPTERS } from './itsm.options.js';
import { ItsmMigration0700 } from './migrations/0700-itsm.migration.js';
import { NewTickets } from './tickets/new-tickets.js';
import { TicketDesk } from './tickets/ticket-desk.js';
import { Ticket } from './tickets/ticket.entity.js';
import { TicketReservations } from './tickets/ticket-reservations.js';

/** The itsm library's part of the module. */
export const itsmFeature: Feature = {
  providers: [
    {
      provide: AdapterRegistry,
      inject: [ITSM_ADAPTERS],
      useFactory: (adapters: readonly ItsmAdapter[]) => new AdapterRegistry(adapters),
    },
    TicketReservations,
    TicketDesk,
    NewTickets,
    ...inboundProviders,
    ...chatProviders,
  ],
  controllers: [...inboundControllers, ...chatControllers],
  entities: [Connector, Ticket, ...inboundEntities, ...chatEntities],
  migrations: [{ name: '0700_itsm', class: ItsmMigration0700 }],
};
