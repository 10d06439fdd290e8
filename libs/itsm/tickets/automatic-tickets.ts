import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import { prepared, SCHEMA, sqlOf } from '#database';
import { IncidentRecorder, type IncidentConsumer, type OpenedIncident } from '#incidents';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';
import { composeDraft } from './compose-draft.js';
import type { StoredDraft } from './ticket.entity.js';
import { TicketReservations, type NewTicket } from './ticket-reservations.js';
import { styleOf } from './ticket-style.js';

const ACTIVE = prepared(
  'active_connectors',
  `select id, kind from ${SCHEMA}.itsm_connectors where org_id = $1 and active order by id`,
);

/** Has a ticket opened by every active connector for each incident that a violation or an anomaly opens. */
@Injectable()
export class AutomaticTickets implements IncidentConsumer, OnModuleInit {
  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly reservations: TicketReservations,
    @Inject(ITSM_OPTIONS) private readonly options: ItsmOptions,
  ) {}

  onModuleInit(): void {
    this.incidents.addConsumer(this);
  }

  async opened(em: EntityManager, orgId: string, incidents: readonly OpenedIncident[]): Promise<void> {
    const connectors = await sqlOf(em).query<{ id: string; kind: string }>(ACTIVE, [orgId]);
    if (connectors.length === 0) return;
    const tickets = incidents.flatMap(incident => {
      const { incidentId, event } = incident;
      const draft = this.draftOf(incident);
      const eventId = event.id;
      return connectors.map(({ id: connectorId, kind }): NewTicket => {
        return { incidentId, connectorId, kind, origin: 'automatic', eventId, draft };
      });
    });
    await this.reservations.order(em, orgId, tickets);
  }

  private draftOf({ incidentId, occurrence, event }: OpenedIncident): StoredDraft {
    const { severity, userId, userEmail, provider, model } = occurrence;
    // Written by encodeEvent.
    const { type, data: payload } = JSON.parse(event.body.toString('utf8')) as { type: string; data: JsonObject };
    const matter = { incidentId, type, severity, userId, userEmail, provider, model, payload };
    return composeDraft(matter, styleOf(this.options));
  }
}
