import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { BadRequestError, CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, type Page, pageOf } from '#core';
import { ApiPage } from '../http/page.dto.js';
import { CurrentActor, GovernanceController, Refuses, Requires } from '../http/routes.decorators.js';
import type { Actor } from '../principals/principal.js';
import { auditFiltersOf, AuditQueryDto, AuditRecordResponseDto, presentAuditRow } from './audit-log.dto.js';
import { AuditLogReader } from './audit-log.reader.js';

/** What was changed in the caller's organization, and by whom. */
@GovernanceController('v1/audit-log', 'Audit log')
export class AuditLogController {
  constructor(
    private readonly reader: AuditLogReader,
    private readonly cursors: CursorSealer,
  ) {}

  @Get()
  @Requires('audit:read')
  @Refuses(400)
  @ApiOperation({ operationId: 'listAuditRecords', summary: 'List changes, newest first' })
  @ApiPage(AuditRecordResponseDto)
  async list(@CurrentActor() { orgId }: Actor, @Query() query: AuditQueryDto): Promise<Page<AuditRecordResponseDto>> {
    const { cursor, limit = DEFAULT_PAGE_LIMIT, ...wishes } = query;
    const filters = auditFiltersOf(query);
    if (filters.since && filters.until && filters.since >= filters.until) {
      throw BadRequestError.field('until', 'must be later than since');
    }
    const digest = digestFilters('audit-log', wishes);
    const opened = cursor === undefined ? undefined : this.cursors.open(orgId, digest, cursor);
    const beforeSeq = opened?.position[0];
    const totalCount = opened?.totalCount ?? (await this.reader.count(orgId, filters));
    const rows = await this.reader.list(orgId, filters, {
      limit: limit + 1,
      ...(typeof beforeSeq === 'number' ? { beforeSeq } : {}),
    });
    return pageOf(
      rows,
      limit,
      presentAuditRow,
      row => this.cursors.seal(orgId, digest, { position: [row.seq], totalCount }),
      totalCount,
    );
  }
}
