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
    description: 'With `incident_id` those of one incident: at most one by each connector.',
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
    summary: 'Attempt once more to create a ticket',
    description:
      'At once, whatever is known to be wrong with the connector; where it is switched off, when it is switched on. ' +
      'Where the ticket might be there already it is looked for first, if its platform can be asked.',
  })
  @ApiAcceptedResponse({ type: TicketResponseDto, description: 'The ticket, which is on its way again.' })
  @Refuses(400, 404, [409, new TicketNotRetriableError('created').message], 413, 415)
  retry(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @NoBody() _nothing: NothingDto,
  ): Promise<TicketResponseDto> {
    return this.retries.retry(actor, id);
  }
}
