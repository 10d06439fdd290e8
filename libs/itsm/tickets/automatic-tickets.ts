import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import { prepared, SCHEMA, sqlOf } from '#database';
import { IncidentRecorder, type IncidentConsumer, type OpenedIncident } from '#incidents';
import { letsThrough, type Routing } from '../decide/routing.js';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';
import { composeDraft, sharedTicketKey } from './compose-draft.js';
import { IncidentDepartments } from './incident-departments.js';
import type { StoredDraft } from './ticket.entity.js';
import { TicketReservations, type NewTicket } from './ticket-reservations.js';
import { styleOf } from './ticket-style.js';

const ACTIVE = prepared(
  'active_connectors',
  `select id, kind, routing from ${SCHEMA}.itsm_connectors where org_id = $1 and active order by id`,
);

/** An active connector. */
interface ActiveConnector {
  id: string;
  kind: string;
  routing: Routing;
}

/** Creates tickets for new incidents: one per active connector whose routing accepts the incident. */
@Injectable()
export class AutomaticTickets implements IncidentConsumer, OnModuleInit {
  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly reservations: TicketReservations,
    private readonly departments: IncidentDepartments,
    @Inject(ITSM_OPTIONS) private readonly options: ItsmOptions,
  ) {}

  onModuleInit(): void {
    this.incidents.addConsumer(this);
  }

  async opened(em: EntityManager, orgId: string, incidents: readonly OpenedIncident[]): Promise<void> {
    const connectors = await sqlOf(em).query<ActiveConnector>(ACTIVE, [orgId]);
    if (connectors.length === 0) return;
    const departments = await this.departmentsOf(orgId, connectors, incidents);
    const tickets = incidents.flatMap((incident, at) => {
      const { incidentId, severity, occurrence, event } = incident;
      const routed = { severity, policyId: occurrence.policyId, department: departments[at] ?? null };
      const chosen = connectors.filter(({ routing }) => letsThrough(routing, routed));
      if (chosen.length === 0) return [];
      const draft = this.draftOf(incident);
      const [eventId, matter] = [event.id, sharedTicketKey(occurrence)];
      return chosen.map(({ id: connectorId, kind }): NewTicket => {
        return { incidentId, connectorId, kind, origin: 'automatic', eventId, draft, matter };
      });
    });
    await this.reservations.order(em, orgId, tickets);
  }

  /** The departments of incidents, in the same order. Reads them only if a routing uses departments. */
  private async departmentsOf(
    orgId: string,
    connectors: readonly ActiveConnector[],
    incidents: readonly OpenedIncident[],
  ): Promise<(string | null)[]> {
    if (connectors.every(({ routing }) => routing.departments === undefined)) return [];
    return this.departments.of(
      orgId,
      incidents.map(({ occurrence }) => occurrence),
    );
  }

  private draftOf({ incidentId, occurrence, event }: OpenedIncident): StoredDraft {
    const { severity, userId, userEmail, provider, model } = occurrence;
    // encodeEvent has produced this text.
    const { type, data: payload } = JSON.parse(event.body.toString('utf8')) as { type: string; data: JsonObject };
    const matter = { incidentId, type, severity, userId, userEmail, provider, model, payload };
    return composeDraft(matter, styleOf(this.options));
  }
}
