import { Body, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  SometimesNeeds,
  type Actor,
  type HttpResponse,
} from '#access';
import { BadRequestError, ForbiddenError } from '#core';
import type { Templates } from '../decide/templates.js';
import { TicketService } from '../tickets/ticket.service.js';
import { TicketExistsError } from '../tickets/ticket.errors.js';
import { TicketListService } from '../tickets/ticket-list.service.js';
import { OpenTicketDto } from './open-ticket.dto.js';
import { RenderedTicketDto, TicketResponseDto } from './ticket.dto.js';

const EXISTS = new TicketExistsError({
  id: '0199c2a8-f217-7c4d-8e36-7b901d6f8c2a',
  externalTicketId: 'INC0010023',
}).message;

/** Tickets that people open for incidents. */
@GovernanceController('v1/incidents/:id/tickets', 'Tickets')
export class IncidentTicketsController {
  constructor(
    private readonly desk: TicketService,
    private readonly lists: TicketListService,
  ) {}

  @Post()
  @ReadsBody({ optional: true })
  @Requires('itsm:write')
  @SometimesNeeds({ scopes: ['incidents:read'], when: '`preview` is true' })
  @ApiOperation({
    operationId: 'createIncidentTicket',
    summary: 'Open a ticket for an incident, or preview it',
    description:
      'The ticket is created in the background. An incident has at most one ticket per connector. With `preview`, ' +
      'nothing is created, and the answer includes data of the incident.',
  })
  @ApiCreatedResponse({ type: TicketResponseDto, description: 'The ticket, which will be created in the background.' })
  @ApiOkResponse({
    type: RenderedTicketDto,
    description: 'With `preview`: the request that would be sent. Nothing was changed.',
  })
  @Refuses(400, 404, [409, EXISTS], 413, 415)
  async open(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { connector_id: connectorId, preview, title_template, text_template }: OpenTicketDto,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<TicketResponseDto | RenderedTicketDto> {
    const templates: Templates = {
      ...(title_template !== undefined && { title_template }),
      ...(text_template !== undefined && { text_template }),
    };
    if (preview) {
      if (!actor.scopes.has('incidents:read')) {
        throw new ForbiddenError('A preview includes data of the incident, so it also needs the scope incidents:read.');
      }
      const { title, description, labels, body } = await this.desk.preview(
        ...([actor.orgId, id, connectorId] as const),
        templates,
      );
      setStatus(response, 200);
      return { title, description, labels: [...labels], body };
    }
    const [extra] = Object.keys(templates);
    if (extra !== undefined)
      throw BadRequestError.field(extra, 'requires preview; set it in the settings of the connector');
    const ticket = await this.desk.open(actor, id, connectorId);
    return this.lists.get(actor.orgId, ticket.id);
  }
}

/** Sets the status of the response on Express and Fastify. The handler then returns the body. */
function setStatus(response: HttpResponse, status: number): void {
  if ('status' in response) response.status(status);
  else response.statusCode = status;
}
