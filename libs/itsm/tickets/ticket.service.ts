import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, type Json, type JsonObject } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Incident, IncidentNotFoundError } from '#incidents';
import type { RenderedTicket } from '../adapter/ticket-draft.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { Connector } from '../connectors/connector.entity.js';
import { AdapterMissingError, ConnectorInactiveError, NoActiveConnectorError } from '../connectors/connector.errors.js';
import { templateFault, withTemplates, type Templates } from '../decide/templates.js';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';
import { composeDraft, sharedTicketKey } from './compose-draft.js';
import { Ticket } from './ticket.entity.js';
import { ConnectorUnnamedError, TicketExistsError } from './ticket.errors.js';
import { TicketReservations } from './ticket-reservations.js';
import { styleOf } from './ticket-style.js';

/** Placeholder for the key in the preview of a ticket that does not exist yet. */
const NO_KEY = '00000000-0000-0000-0000-000000000000';

const FIRST_EVENT = `
select event_id as id from ${SCHEMA}.incident_occurrences
where org_id = $1 and incident_id = $2 order by decision_id limit 1`;

/** Opens tickets on request. */
@Injectable()
export class TicketService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly reservations: TicketReservations,
    private readonly adapters: AdapterRegistry,
    @Inject(ITSM_OPTIONS) private readonly options: ItsmOptions,
  ) {}

  /**
   * Opens a ticket for an incident, through the named connector or the only active one. When the promise resolves, the
   * ticket is reserved. Workers then create it in the background.
   * @throws IncidentNotFoundError
   * @throws NoActiveConnectorError
   * @throws ConnectorUnnamedError if several are active and none is named
   * @throws ConnectorInactiveError
   * @throws TicketExistsError if the incident has a ticket of that connector
   */
  async open(
    actor: Actor,
    incidentId: string,
    connectorId?: string,
    origin: 'manual' | 'chat' = 'manual',
  ): Promise<Ticket> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const incident = await incidentOf(em, orgId, incidentId);
      const { id: chosen, kind } = await chosenConnector(em, orgId, connectorId);
      const draft = this.draftFor(incident);
      const eventId = await firstEvent(em, orgId, incident.id);
      const matter = sharedTicketKey(incident);
      const asked = { incidentId: incident.id, connectorId: chosen, kind, origin, eventId, draft, matter };
      const [made] = await this.reservations.order(em, orgId, [asked]);
      if (!made) {
        const place = { orgId, incidentId: incident.id, connectorId: chosen };
        throw new TicketExistsError(await em.findOneOrFail(Ticket, place));
      }
      await this.audit.append(em, actor, {
        action: 'ticket.requested',
        resourceType: 'ticket',
        resourceId: made.id,
        before: null,
        after: { incident_id: incident.id, connector_id: chosen, origin },
      });
      return em.findOneOrFail(Ticket, { orgId, id: made.id });
    });
  }

  /**
   * Previews what {@link open} would send, as far as this is known without a request to the platform. Changes nothing.
   * Throws the same errors.
   * @param templates templates to use instead of the connector's. With them, the incident may already have a ticket.
   * @throws BadRequestError if a template is invalid
   */
  async preview(
    orgId: string,
    incidentId: string,
    connectorId?: string,
    templates: Templates = {},
  ): Promise<RenderedTicket<Json>> {
    const faults = Object.entries(templates).flatMap(([field, template]) => {
      const message = templateFault(template);
      return message === undefined ? [] : [{ field, message }];
    });
    if (faults.length > 0) throw BadRequestError.fields(faults);
    return this.database.transaction(orgId, async em => {
      const incident = await incidentOf(em, orgId, incidentId);
      const connector = await chosenConnector(em, orgId, connectorId);
      const there = await em.findOne(Ticket, { orgId, incidentId: incident.id, connectorId: connector.id });
      if (there && Object.keys(templates).length === 0) throw new TicketExistsError(there);
      const adapter = this.adapters.named(connector.kind);
      if (!adapter) throw new AdapterMissingError(connector.kind);
      const settings = { ...connector.settings, ...templates };
      return adapter.render({ ...withTemplates(this.draftFor(incident), settings), key: NO_KEY }, connector.settings);
    });
  }

  /** Returns the tickets of an incident, newest first. @throws IncidentNotFoundError */
  async ofIncident(orgId: string, incidentId: string): Promise<Ticket[]> {
    return this.database.transaction(orgId, async em => {
      await incidentOf(em, orgId, incidentId);
      return em.find(Ticket, { orgId, incidentId }, { orderBy: { id: 'desc' } });
    });
  }

  private draftFor(incident: Incident): Ticket['draft'] {
    const { id: incidentId, type, severity, userId, userEmail, provider, model } = incident;
    const matter = { incidentId, type, severity, userId, userEmail, provider, model, payload: payloadOf(incident) };
    return composeDraft(matter, styleOf(this.options));
  }
}

/**
 * The data of the event of a violation. It is the data of the first occurrence, except for the severity, which is the
 * incident's current one.
 */
function payloadOf({ id, severity, userId, policyId, provider, model, details }: Incident): JsonObject {
  return { alert_id: id, severity, user_id: userId, policy_id: policyId, provider, model, details };
}

/** An incident of the organization. @throws IncidentNotFoundError */
export async function incidentOf(em: EntityManager, orgId: string, id: string): Promise<Incident> {
  const incident = await em.findOne(Incident, { orgId, id });
  if (!incident) throw new IncidentNotFoundError(id);
  return incident;
}

async function chosenConnector(em: EntityManager, orgId: string, id: string | undefined): Promise<Connector> {
  if (id !== undefined) {
    const connector = await em.findOne(Connector, { orgId, id });
    if (!connector) throw BadRequestError.field('connector_id', 'is not a connector of your organization');
    if (!connector.active) throw new ConnectorInactiveError();
    return connector;
  }
  const [only, ...others] = await em.find(Connector, { orgId, active: true }, { orderBy: { name: 'asc' } });
  if (!only) throw new NoActiveConnectorError();
  if (others.length > 0) throw new ConnectorUnnamedError([only, ...others].map(({ name }) => name));
  return only;
}

async function firstEvent(em: EntityManager, orgId: string, incidentId: string): Promise<string | null> {
  const [event] = await sqlOf(em).query<{ id: string }>(FIRST_EVENT, [orgId, incidentId]);
  return event?.id ?? null;
}
