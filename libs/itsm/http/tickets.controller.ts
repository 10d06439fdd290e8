import { Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { TicketListService } from '../tickets/ticket-list.service.js';
import { TicketNotRetriableError, TicketRetry } from '../tickets/ticket-retry.js';
import { NoBody, type NothingDto } from './nothing.dto.js';
import { TicketQueryDto, TicketResponseDto } from './ticket.dto.js';

/** Tickets over HTTP (interface specification, section 2.9). */
@GovernanceController('v1/itsm/tickets', 'Tickets')
export class TicketsController {
  constructor(
    private readonly lists: TicketListService,
    private readonly retries: TicketRetry,
  ) {}

  @Get()
  @Requires('itsm:read')
  @ApiOperation({
    operationId: 'listTickets',
    summary: 'List tickets, the newest first',
    description: 'Filter by `incident_id` to get the tickets of one incident, at most one per connector.',
  })
  @ApiPage(TicketResponseDto)
  @Refuses(400)
  list(@CurrentActor() { orgId }: Actor, @Query() query: TicketQueryDto): Promise<Page<TicketResponseDto>> {
    return this.lists.list(orgId, query);
  }

  @Get(':id')
  @Requires('itsm:read')
  @ApiOperation({ operationId: 'getTicket', summary: 'Get a ticket' })
  @ApiOkResponse({ type: TicketResponseDto, description: 'The ticket.' })
  @Refuses(404)
  get(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<TicketResponseDto> {
    return this.lists.get(orgId, id);
  }

  @Post(':id/retry')
  @HttpCode(HttpStatus.ACCEPTED)
  @ReadsBody({ optional: true })
  @Requires('itsm:write')
  @ApiOperation({
    operationId: 'retryTicket',
    summary: 'Retry the creation of a ticket',
    description:
      'Retries at once, even if the connector has a problem. If the connector is inactive, the retry waits until ' +
      'it is active. If the ticket may already exist, the service searches for it first.',
  })
  @ApiAcceptedResponse({ type: TicketResponseDto, description: 'The ticket, which will be retried in the background.' })
  @Refuses(400, 404, [409, new TicketNotRetriableError('created').message], 413, 415)
  retry(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @NoBody() _nothing: NothingDto,
  ): Promise<TicketResponseDto> {
    return this.retries.retry(actor, id);
  }
}
