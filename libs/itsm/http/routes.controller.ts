import { Body, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import { BadRequestError } from '#core';
import type { RoutedIncident } from '../decide/routing.js';
import { TicketRoutes, type ConnectorRoute } from '../tickets/ticket-routes.js';
import { RouteTicketDto, TicketRoutesDto } from './routing.dto.js';

/** Shows which connectors would open a ticket for an incident. */
@GovernanceController('v1/itsm', 'Tickets')
export class RoutesController {
  constructor(private readonly routes: TicketRoutes) {}

  @Post('route')
  @HttpCode(HttpStatus.OK)
  @Requires('itsm:read')
  @ApiOperation({
    operationId: 'simulateTicketRoute',
    summary: 'Show which connectors would open a ticket for an incident, and why',
    description:
      'As if the incident were opened now; it opens no ticket, and tickets that exist do not count. Give either ' +
      '`incident_id`, or `severity` with an optional `department` and `policy_id`.',
  })
  @ApiOkResponse({ type: TicketRoutesDto, description: 'What every connector would do.' })
  @Refuses(400, 404, 413, 415)
  async simulate(@CurrentActor() { orgId }: Actor, @Body() body: RouteTicketDto): Promise<TicketRoutesDto> {
    return { connectors: (await this.routes.simulate(orgId, askedOf(body))).map(presentRoute) };
  }
}

/** The incident of the request. @throws BadRequestError if the body has neither or both of the two forms */
function askedOf({ incident_id, severity, department, policy_id }: RouteTicketDto): string | RoutedIncident {
  if (incident_id !== undefined) {
    const besides = Object.entries({ severity, department, policy_id }).filter(([, value]) => value !== undefined);
    if (besides.length === 0) return incident_id;
    throw BadRequestError.fields(besides.map(([field]) => ({ field, message: 'must be left out with incident_id' })));
  }
  if (severity === undefined) {
    throw BadRequestError.field('severity', 'is required, unless you give incident_id alone');
  }
  return { severity, department: department ?? null, policyId: policy_id ?? null };
}

function presentRoute({ connector, route }: ConnectorRoute): TicketRoutesDto['connectors'][number] {
  const { id, name, kind } = connector;
  return { connector_id: id, name, kind, opens_ticket: route.opensTicket, reasons: [...route.reasons] };
}
