import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '#database';
import { Connector } from '../connectors/connector.entity.js';
import { routeOf, type RoutedIncident, type TicketRoute } from '../decide/routing.js';
import { IncidentDepartments } from './incident-departments.js';
import { incidentOf } from './ticket.service.js';

/** What a connector would do with an incident. */
export interface ConnectorRoute {
  readonly connector: Connector;
  readonly route: TicketRoute;
}

/** Tells which connectors would open a ticket, without opening one. */
@Injectable()
export class TicketRoutes {
  constructor(
    private readonly database: OrgDatabase,
    private readonly departments: IncidentDepartments,
  ) {}

  /**
   * What every connector of the organization would do, in the order of their names, if an incident were opened now: a
   * stored one as it is now, by its id, or one that is described.
   * @throws IncidentNotFoundError
   */
  async simulate(orgId: string, asked: string | RoutedIncident): Promise<ConnectorRoute[]> {
    const incident = typeof asked === 'string' ? await this.routed(orgId, asked) : asked;
    const connectors = await this.database.transaction(orgId, em =>
      em.find(Connector, { orgId }, { orderBy: { name: 'asc' } }),
    );
    return connectors.map(connector => {
      const { active, problem, routing } = connector;
      return { connector, route: routeOf({ active, isPaused: problem !== null, routing }, incident) };
    });
  }

  private async routed(orgId: string, id: string): Promise<RoutedIncident> {
    const incident = await this.database.transaction(orgId, em => incidentOf(em, orgId, id));
    const [department = null] = await this.departments.of(orgId, [incident]);
    return { severity: incident.severity, policyId: incident.policyId, department };
  }
}
