import {
  Body,
  Controller,
  HttpCode,
  HttpStatus,
  Post,
  Query,
  UseFilters,
  UseGuards,
  UsePipes,
  SetMetadata,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  GOVERNANCE_ROUTE,
  AccessGuard,
  BodyGuard,
  CurrentVisitor,
  InputPipe,
  Open,
  ReadsBody,
  Refuses,
  ResourceId,
  type Visitor,
} from '#access';
import { AmbiguousTicketError, InboundDesk, ReportedTicketNotFoundError } from '../inbound-desk.js';
import { InboundMetrics } from '../inbound-metrics.js';
import { InboundErrorFilter } from './inbound-error.filter.js';
import { InboundQueryDto, InboundReceiptDto, InboundReportDto } from './inbound.dto.js';
import { InboundGuard, REPORT_MAX_BYTES } from './inbound.guard.js';
import { ReportReader } from './report-reader.js';

/** Where platforms report what became of tickets (interface specification, section 4.11). */
@Controller({ path: 'v1/integrations/itsm', version: VERSION_NEUTRAL })
@SetMetadata(GOVERNANCE_ROUTE, true)
@UseFilters(InboundErrorFilter)
// Who may not report is told so before anything is read.
@UseGuards(AccessGuard, InboundGuard, BodyGuard)
@UsePipes(InputPipe)
@ApiTags('Tickets')
export class InboundController {
  constructor(
    private readonly desk: InboundDesk,
    private readonly reader: ReportReader,
    private readonly metrics: InboundMetrics,
  ) {}

  @Post('webhook/:org_id')
  @HttpCode(HttpStatus.OK)
  @Open()
  @ReadsBody({ maxBytes: REPORT_MAX_BYTES })
  @Refuses(
    [400, new AmbiguousTicketError().message],
    [403, 'Reports are not taken from 203.0.113.7; add it to allowed_networks of /v1/itsm/inbound.'],
    [404, new ReportedTicketNotFoundError().message],
    [413, 'The body may be at most 64 KiB.'],
    415,
  )
  @ApiOperation({
    operationId: 'reportTicketStatus',
    summary: 'Report where a ticket stands',
    description:
      'For ticket platforms. There is no credential: the address of the sender must be in the organization’s allow-list. ' +
      'Bodies of a platform’s own webhooks are read too, where its adapter knows them. A repetition is answered as the ' +
      'first one was and changes nothing.',
  })
  @ApiBody({ type: InboundReportDto })
  @ApiOkResponse({ type: InboundReceiptDto, description: 'It was taken in, or was known.' })
  async report(
    @CurrentVisitor() visitor: Visitor,
    @ResourceId('org_id') orgId: string,
    @Query() query: InboundQueryDto,
    @Body() body: unknown,
  ): Promise<InboundReceiptDto> {
    const { update, kind } = this.reader.read(body);
    const scope = { connectorId: query.connector_id, kind };
    const { address, requestId } = visitor;
    const { outcome, externalTicketId, status } = await this.desk.receive(orgId, update, scope, { address, requestId });
    this.metrics.count(outcome);
    return { external_ticket_id: externalTicketId, status };
  }
}
