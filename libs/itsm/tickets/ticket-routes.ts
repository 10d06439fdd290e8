import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '#database';
import { Connector } from '../connectors/connector.entity.js';
import { routeOf, type RoutedIncident, type TicketRoute } from '../decide/routing.js';
import { IncidentDepartments } from './incident-departments.js';
import { incidentOf } from './ticket.service.js';

/** The decision of a connector for an incident. */
export interface ConnectorRoute {
  readonly connector: Connector;
  readonly route: TicketRoute;
}

/** Shows which connectors would open a ticket, without opening one. */
@Injectable()
export class TicketRoutes {
  constructor(
    private readonly database: OrgDatabase,
    private readonly departments: IncidentDepartments,
  ) {}

  /**
   * The decisions that the organization's connectors would make if the incident were opened now, in the order of their
   * names. The incident is the id of a stored one, or a description.
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
