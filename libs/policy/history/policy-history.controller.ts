import { Body, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { TooManyPoliciesError } from '../policies/policy.errors.js';
import { PolicyResponseDto } from '../policies/policy.dto.js';
import { presentPolicy } from '../policies/policy.presenter.js';
import { PolicyService } from '../policies/policy.service.js';
import { PolicyHistory } from './policy-history.service.js';
import {
  PolicyDiffDto,
  PolicyDiffQueryDto,
  PolicyVersionDto,
  PolicyVersionEntryDto,
  RestorePolicyDto,
} from './policy-version.dto.js';
import { presentDiff, presentEntry, presentVersion } from './policy-version.presenter.js';
import { VersionNumber } from './version-number.decorators.js';

const ALSO_DELETED = 'Works for deleted policies too.';

/** HTTP routes of the history of policies. */
@GovernanceController('v1/policies/:id', 'Policies')
export class PolicyHistoryController {
  constructor(
    private readonly history: PolicyHistory,
    private readonly policies: PolicyService,
  ) {}

  @Get('versions')
  @Requires('policies:read')
  @ApiOperation({
    operationId: 'listPolicyVersions',
    summary: 'List the changes of a policy and their authors, the newest first',
    description: ALSO_DELETED,
  })
  @ApiPage(PolicyVersionEntryDto)
  @Refuses(400, 404)
  list(
    @CurrentActor() { orgId }: Actor,
    @ResourceId() id: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<PolicyVersionEntryDto>> {
    return this.history.list(orgId, id, query, presentEntry);
  }

  @Get('versions/:version')
  @Requires('policies:read')
  @ApiOperation({
    operationId: 'getPolicyVersion',
    summary: 'Get one version of a policy',
    description: ALSO_DELETED,
  })
  @ApiOkResponse({ type: PolicyVersionDto, description: 'The version.' })
  @Refuses(404)
  async get(
    @CurrentActor() { orgId }: Actor,
    @ResourceId() id: string,
    @VersionNumber() version: number,
  ): Promise<PolicyVersionDto> {
    return presentVersion(await this.history.get(orgId, id, version));
  }

  @Get('versions/:version/diff')
  @Requires('policies:read')
  @ApiOperation({
    operationId: 'getPolicyDiff',
    summary: 'Compare a version of a policy with another version, by default the previous one',
    description: ALSO_DELETED,
  })
  @ApiOkResponse({ type: PolicyDiffDto, description: 'Where they differ.' })
  @Refuses(400, 404)
  async diff(
    @CurrentActor() { orgId }: Actor,
    @ResourceId() id: string,
    @VersionNumber() version: number,
    @Query() { against }: PolicyDiffQueryDto,
  ): Promise<PolicyDiffDto> {
    return presentDiff(await this.history.diff(orgId, id, version, against));
  }

  @Post('restore')
  @HttpCode(HttpStatus.OK)
  @Requires('policies:write')
  @ApiOperation({
    operationId: 'restorePolicy',
    summary: 'Restore a version of a policy as a new version',
    description:
      'A deleted policy is recreated under its own id. If the content equals the current one, nothing changes.',
  })
  @ApiOkResponse({
    type: PolicyResponseDto,
    description: 'The policy after the change; it applies to decisions at once.',
  })
  @Refuses(400, 404, [409, new TooManyPoliciesError().message], 413, 415)
  async restore(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { version }: RestorePolicyDto,
  ): Promise<PolicyResponseDto> {
    return presentPolicy(await this.policies.restore(actor, id, version));
  }
}
