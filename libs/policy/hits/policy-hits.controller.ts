import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { Page } from '#core';
import {
  PolicyHitQueryDto,
  PolicyHitsDto,
  PolicyHitWindowDto,
  PolicyHitWindowQueryDto,
  readHitQuery,
} from './policy-hits.dto.js';
import { PolicyHitLists } from './policy-hits.service.js';

const KEPT = 'Hits are counted with the record of a decision, and kept as long as records.';

/** HTTP routes of the hits of policies. */
@GovernanceController('v1/policies', 'Policies')
export class PolicyHitsController {
  constructor(private readonly hits: PolicyHitLists) {}

  @Get('hits')
  @Requires('policies:read')
  @ApiOperation({
    operationId: 'listPolicyHits',
    summary: 'List how often policies matched, the newest policy first',
    description: `Policies without hits in the time range are left out; deleted ones with hits are included. ${KEPT}`,
  })
  @ApiPage(PolicyHitsDto)
  @Refuses(400)
  list(@CurrentActor() { orgId }: Actor, @Query() query: PolicyHitQueryDto): Promise<Page<PolicyHitsDto>> {
    return this.hits.list(orgId, readHitQuery(query));
  }

  @Get(':id/hits')
  @Requires('policies:read')
  @ApiOperation({
    operationId: 'listPolicyHitWindows',
    summary: 'List how often a policy matched over time, the newest window first',
    description: `Windows without hits are left out. Works for deleted policies too. ${KEPT}`,
  })
  @ApiPage(PolicyHitWindowDto)
  @Refuses(400, 404)
  windows(
    @CurrentActor() { orgId }: Actor,
    @ResourceId() id: string,
    @Query() query: PolicyHitWindowQueryDto,
  ): Promise<Page<PolicyHitWindowDto>> {
    return this.hits.windowsOf(orgId, id, readHitQuery(query), query.period ?? 'daily');
  }
}
