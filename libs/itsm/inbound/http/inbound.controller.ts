import {
  Body,
  Controller,
  Headers,
  HttpCode,
  HttpStatus,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
  UsePipes,
  SetMetadata,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
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
  type HttpRequest,
  type Visitor,
} from '#access';
import { OrganizationStates } from '#core';
import type { InboundReport } from '../../adapter/inbound-report.js';
import { AmbiguousTicketError, InboundUpdates, ReportedTicketNotFoundError } from '../inbound-updates.js';
import { InboundMetrics } from '../inbound-metrics.js';
import type { ReportReceipt, ReportScope } from '../report.js';
import { REPORT_SECRET_HEADER, ReportCredentials, ReportSecretError } from '../report-credentials.js';
import { InboundErrorFilter } from './inbound-error.filter.js';
import { InboundQueryDto, InboundReceiptDto, InboundReportDto } from './inbound.dto.js';
import { InboundGuard, REPORT_MAX_BYTES } from './inbound.guard.js';
import { isOwnForm, ReportReader, type ReadReport } from './report-reader.js';

/** Receives ticket reports of platforms (interface specification, section 4.11). */
@Controller({ path: 'v1/integrations/itsm', version: VERSION_NEUTRAL })
@SetMetadata(GOVERNANCE_ROUTE, true)
@UseFilters(InboundErrorFilter)
// The guard refuses all other senders before the body is read.
@UseGuards(AccessGuard, InboundGuard, BodyGuard)
@UsePipes(InputPipe)
@ApiTags('Tickets')
export class InboundController {
  constructor(
    private readonly credentials: ReportCredentials,
    private readonly desk: InboundUpdates,
    private readonly reader: ReportReader,
    private readonly metrics: InboundMetrics,
    private readonly organizations: OrganizationStates,
  ) {}

  @Post('webhook/:org_id')
  @HttpCode(HttpStatus.OK)
  @Open()
  @ReadsBody({ maxBytes: REPORT_MAX_BYTES, keepsBytes: true })
  @Refuses(
    [400, new AmbiguousTicketError().message],
    [401, new ReportSecretError().message],
    [403, 'Reports are not taken from 203.0.113.7; add it to allowed_networks of /v1/itsm/inbound.'],
    [404, new ReportedTicketNotFoundError().message],
    [413, 'The body may be at most 1 MiB.'],
    415,
  )
  @ApiOperation({
    operationId: 'reportTicketStatus',
    summary: 'Report the status of a ticket',
    description:
      'Called by ticket platforms. The address of the sender must be in the organization’s allow-list. If the ' +
      'connector has a `report_secret` or a `webhook_secret`, every report of its tickets must carry the first or be ' +
      'signed with the second. A platform’s own webhook format is accepted if its adapter supports it. A repetition ' +
      'gets the same answer and changes nothing. A platform’s own webhook that is proven by a secret, and is about no ' +
      'ticket of the organization, gets 204.',
  })
  @ApiHeader({
    name: REPORT_SECRET_HEADER,
    required: false,
    description:
      'The `report_secret` of the connector, if it has one. It may be the password of Basic authentication instead, ' +
      'with any user name.',
    schema: { type: 'string' },
  })
  @ApiHeader({
    name: 'X-Hub-Signature',
    required: false,
    description:
      'Jira Cloud and Data Center only: `sha256=` and the HMAC-SHA256 of the body under the `webhook_secret` of the ' +
      'connector, in hexadecimal.',
    schema: { type: 'string' },
  })
  @ApiBody({ type: InboundReportDto })
  @ApiOkResponse({ type: InboundReceiptDto, description: 'The report was accepted, or is a repetition.' })
  @ApiNoContentResponse({
    description: 'A webhook in a platform’s own format, proven by a secret, is about no ticket.',
  })
  async report(
    @CurrentVisitor() visitor: Visitor,
    @ResourceId('org_id') orgId: string,
    @Query() query: InboundQueryDto,
    @Headers(REPORT_SECRET_HEADER) secret: string | undefined,
    @Req() http: HttpRequest & { rawBody?: Buffer },
    @Res({ passthrough: true }) response: { status(code: number): unknown },
    @Body() body: unknown,
  ): Promise<InboundReceiptDto | undefined> {
    const report = reportOf(http);
    const allowed = await this.credentials.scopeOf(
      orgId,
      { secret, password: passwordIn(http), report },
      query.connector_id,
    );
    await this.organizations.assertActive(orgId);
    // Platforms report every change, and disable a webhook that gets errors. Therefore, a report whose sender is proven
    // is accepted even if it is about another ticket.
    const isNotice = allowed.isProven === true && !isOwnForm(body);
    const receipt = isNotice
      ? await this.takeNotice(orgId, body, report, allowed, visitor)
      : await this.take(orgId, this.reader.read(body, report), allowed, visitor);
    this.metrics.count(receipt?.outcome ?? 'ignored');
    if (receipt) return { external_ticket_id: receipt.externalTicketId, status: receipt.status };
    response.status(HttpStatus.NO_CONTENT);
    return undefined;
  }

  private async takeNotice(
    orgId: string,
    body: unknown,
    report: InboundReport,
    allowed: ReportScope,
    visitor: Visitor,
  ): Promise<ReportReceipt | undefined> {
    const read = this.reader.readNative(body, report);
    if (!read) return undefined;
    try {
      return await this.take(orgId, read, allowed, visitor);
    } catch (error) {
      if (error instanceof ReportedTicketNotFoundError) return undefined;
      throw error;
    }
  }

  private take(
    orgId: string,
    { update, kinds }: ReadReport,
    allowed: ReportScope,
    { address, requestId }: Visitor,
  ): Promise<ReportReceipt> {
    return this.desk.receive(orgId, update, { ...allowed, kinds }, { address, requestId });
  }
}

/** Converts a request into the report that adapters read. */
function reportOf({
  headers,
  rawBody = null,
}: {
  headers: HttpRequest['headers'];
  rawBody?: Buffer | null;
}): InboundReport {
  const shown = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || HIDDEN.has(name) || isBasic(name, value) ? [] : [[name, String(value)]],
  );
  return { headers: Object.fromEntries(shown), bytes: rawBody };
}

/** The password of Basic authentication (RFC 7617). Some platforms offer it instead of custom headers. */
function passwordIn({ headers: { authorization = '' } }: HttpRequest): string | undefined {
  const credentials = /^Basic +([\w+/]+=*)$/i.exec(authorization)?.[1];
  return (
    Buffer.from(credentials ?? '', 'base64')
      .toString('utf8')
      .split(':')
      .slice(1)
      .join(':') || undefined
  );
}

function isBasic(name: string, value: unknown): boolean {
  return name === 'authorization' && /^basic\b/i.test(String(value));
}

const HIDDEN: ReadonlySet<string> = new Set([REPORT_SECRET_HEADER.toLowerCase(), 'cookie']);
