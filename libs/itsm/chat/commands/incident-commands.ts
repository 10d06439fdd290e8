import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '#access';
import { ConflictError } from '#core';
import { OrgDatabase } from '#database';
import { Incident, IncidentService } from '#incidents';
import { Connector } from '../../connectors/connector.entity.js';
import { TicketService } from '../../tickets/ticket.service.js';
import { Ticket } from '../../tickets/ticket.entity.js';
import { TicketExistsError } from '../../tickets/ticket.errors.js';
import { ChatMistake, needs, type ChatAnswer } from './chat-answer.js';
import { incidentLine, incidentText, ticketLine, word } from './incident-text.js';
import { REFERENCE_MIN, resolveReference, shortReferences } from './incident-reference.js';

/** Maximum number of incidents in a list. */
const LISTED = 10;

/** Chat commands for incidents. They need the same scopes as the API. */
@Injectable()
export class IncidentCommands {
  constructor(
    private readonly database: OrgDatabase,
    private readonly incidents: IncidentService,
    private readonly tickets: TicketService,
  ) {}

  async list(actor: Actor): Promise<ChatAnswer> {
    const { orgId } = actor;
    const own = visibleTo(actor);
    const about = { orgId, status: { $in: ['open', 'acknowledged'] }, ...(own === undefined ? {} : { userId: own }) };
    return this.database.transaction(orgId, async em => {
      const found = await em.find(Incident, about as object, { orderBy: { id: 'desc' }, limit: LISTED + 1 });
      if (found.length === 0) return { text: 'No incident is unresolved.' };
      const shown = found.slice(0, LISTED);
      const references = await shortReferences(
        em,
        orgId,
        shown.map(({ id }) => id),
      );
      const lines = shown.map(incident => incidentLine(incident, references.get(incident.id) ?? incident.id));
      const rest = found.length > LISTED ? [`These are the newest ${LISTED}; there are more.`] : [];
      return { text: [...lines, ...rest].join('\n') };
    });
  }

  async show(actor: Actor, written: string): Promise<ChatAnswer> {
    const id = await this.incident(actor, written);
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const incident = await em.findOneOrFail(Incident, { orgId, id });
      const tickets = await em.find(Ticket, { orgId, incidentId: id }, { orderBy: { id: 'asc' } });
      return { text: incidentText(incident, tickets) };
    });
  }

  /** Acknowledges an incident. If it is already acknowledged or resolved, the answer says who did that. */
  async acknowledge(actor: Actor, written: string): Promise<ChatAnswer> {
    needs(actor, 'incidents:write');
    const id = await this.incident(actor, written);
    try {
      await this.incidents.change(actor, id, { status: 'acknowledged' });
      return { text: `Incident ${id} is acknowledged by you.` };
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const { status, acknowledgedBy, resolvedBy } = await this.incidents.get(actor.orgId, id);
      const by = status === 'resolved' ? resolvedBy : acknowledgedBy;
      return { text: `Incident ${id} was already ${status}${by ? ` by ${word(by.name)}` : ''}.` };
    }
  }

  async ticket(actor: Actor, written: string, connector: string): Promise<ChatAnswer> {
    needs(actor, 'itsm:write');
    const id = await this.incident(actor, written);
    const chosen = await this.connector(actor.orgId, connector);
    try {
      const { id: ticketId } = await this.tickets.open(actor, id, chosen, 'chat');
      return { text: `A ticket for incident ${id} is being opened; the result follows.`, ticketId };
    } catch (error) {
      if (!(error instanceof TicketExistsError)) throw error;
      const ticket = await this.database.transaction(actor.orgId, em =>
        em.findOneOrFail(Ticket, { orgId: actor.orgId, id: error.ticket.id }),
      );
      return { text: `The incident already has a ticket. ${ticketLine(ticket)}` };
    }
  }

  private async incident(actor: Actor, written: string): Promise<string> {
    const own = visibleTo(actor);
    if (written === '') throw new ChatMistake('Name the incident: its id, or the prefix that list shows.');
    const { orgId } = actor;
    const found = await this.database.transaction(orgId, em => resolveReference(em, orgId, written, own));
    if (typeof found === 'object') return found.id;
    const shown = word(written);
    throw new ChatMistake(
      {
        malformed: `"${shown}" is not an incident id; give at least its first ${REFERENCE_MIN} characters.`,
        none: `No incident has an id that begins with "${shown}".`,
        several: `Several incidents have an id that begins with "${shown}"; give more characters.`,
      }[found],
    );
  }

  private async connector(orgId: string, written: string): Promise<string> {
    const active = await this.database.transaction(orgId, (em: EntityManager) =>
      em.find(Connector, { orgId, active: true }, { orderBy: { name: 'asc' } }),
    );
    const [only] = active;
    if (!only) throw new ChatMistake('No connector to a ticket platform is active.');
    const names = active.map(({ name }) => word(name)).join(', ');
    if (written === '') {
      if (active.length === 1) return only.id;
      throw new ChatMistake(`Name the connector: ${names}.`);
    }
    const wanted = written.toLowerCase();
    const exact = active.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
    const ofKind = active.filter(({ kind }) => kind === wanted);
    const found = exact ?? (ofKind.length === 1 ? ofKind[0] : undefined);
    if (!found) throw new ChatMistake(`"${word(written)}" is not an active connector; choose one of: ${names}.`);
    return found.id;
  }
}

/** The user to whose incidents the actor is restricted. Undefined if the actor may see every incident. */
function visibleTo(actor: Actor): string | undefined {
  if (actor.scopes.has('incidents:read')) return undefined;
  needs(actor, 'incidents:read:own');
  return actor.userId?.toLowerCase() ?? '';
}
