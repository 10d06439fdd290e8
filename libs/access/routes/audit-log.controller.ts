import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { BadRequestError, type Page } from '#core';
import { ApiPage } from '../http/page.dto.js';
import { CurrentActor, GovernanceController, Refuses, Requires } from '../http/routes.decorators.js';
import type { Actor } from '../principals/principal.js';
import { auditFiltersOf, AuditQueryDto, AuditRecordResponseDto, presentAuditRow } from './audit-log.dto.js';
import { AuditLogReader } from '../audit/audit-log-reader.js';

/** Lists the changes in the caller's organization. */
@GovernanceController('v1/audit-log', 'Audit log')
export class AuditLogController {
  constructor(private readonly reader: AuditLogReader) {}

  @Get()
  @Requires('audit:read')
  @Refuses(400)
  @ApiOperation({ operationId: 'listAuditRecords', summary: 'List changes, newest first' })
  @ApiPage(AuditRecordResponseDto)
  async list(@CurrentActor() { orgId }: Actor, @Query() query: AuditQueryDto): Promise<Page<AuditRecordResponseDto>> {
    const filters = auditFiltersOf(query);
    if (filters.since && filters.until && filters.since >= filters.until) {
      throw BadRequestError.field('until', 'must be later than since');
    }
    return this.reader.list(orgId, filters, query, presentAuditRow);
  }
}
