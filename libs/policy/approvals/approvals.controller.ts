import { Body, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
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
import { ApprovalListService } from './approval-list.service.js';
import { ApprovalQueryDto, ApprovalResponseDto, ApproveDto, DenyDto, RevokeDto } from './approval.dto.js';
import { ApprovalDecidedError, NoGrantError } from './approval.errors.js';
import { presentApproval } from './approval.presenter.js';
import { ApprovalService } from './approval.service.js';

const DECIDED = new ApprovalDecidedError('denied').message;
const NO_GRANT = new NoGrantError('pending').message;
const OWN = 'Nobody can decide their own approval: the answer is 403.';

/** HTTP routes of approvals. */
@GovernanceController('v1/approvals', 'Approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalService,
    private readonly lists: ApprovalListService,
  ) {}

  @Get()
  @Requires(['approvals:read', 'approvals:read:own'])
  @ApiOperation({
    operationId: 'listApprovals',
    summary: 'List approvals, the newest request first; the scope approvals:read:own shows only your own',
  })
  @ApiPage(ApprovalResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: ApprovalQueryDto): Promise<Page<ApprovalResponseDto>> {
    return this.lists.list(actor, query, presentApproval);
  }

  @Get(':id')
  @Requires(['approvals:read', 'approvals:read:own'])
  @ApiOperation({
    operationId: 'getApproval',
    summary: 'Get an approval; the scope approvals:read:own shows only your own',
  })
  @ApiOkResponse({ type: ApprovalResponseDto, description: 'The approval with its current status.' })
  @Refuses(404)
  get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<ApprovalResponseDto> {
    return this.approvals.get(actor, id, presentApproval);
  }

  @Post(':id/approve')
  @HttpCode(HttpStatus.OK)
  @Requires('approvals:write')
  @ReadsBody({ optional: true })
  @ApiBody({ type: ApproveDto, required: false })
  @ApiOperation({
    operationId: 'approveRequest',
    summary: 'Approve a request until a given time',
    description: `The policy then allows this person to use this model. ${OWN}`,
  })
  @ApiOkResponse({ type: ApprovalResponseDto, description: 'The approved request; it applies to decisions at once.' })
  @Refuses(400, 404, [409, DECIDED], 413, 415)
  approve(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { expires_at, reason }: ApproveDto,
  ): Promise<ApprovalResponseDto> {
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    return this.approvals.approve(actor, id, { expiresAt, reason }, presentApproval);
  }

  @Post(':id/deny')
  @HttpCode(HttpStatus.OK)
  @Requires('approvals:write')
  @ReadsBody({ optional: true })
  @ApiBody({ type: DenyDto, required: false })
  @ApiOperation({ operationId: 'denyRequest', summary: 'Deny a request', description: OWN })
  @ApiOkResponse({ type: ApprovalResponseDto, description: 'The approval, denied.' })
  @Refuses(400, 404, [409, DECIDED], 413, 415)
  deny(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { reason }: DenyDto,
  ): Promise<ApprovalResponseDto> {
    return this.approvals.deny(actor, id, { reason }, presentApproval);
  }

  @Post(':id/revoke')
  @HttpCode(HttpStatus.OK)
  @Requires('approvals:write')
  @ReadsBody({ optional: true })
  @ApiBody({ type: RevokeDto, required: false })
  @ApiOperation({ operationId: 'revokeGrant', summary: 'Revoke an approval before it ends', description: OWN })
  @ApiOkResponse({ type: ApprovalResponseDto, description: 'The revoked approval; this applies to decisions at once.' })
  @Refuses(400, 404, [409, NO_GRANT], 413, 415)
  revoke(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { reason }: RevokeDto,
  ): Promise<ApprovalResponseDto> {
    return this.approvals.revoke(actor, id, { reason }, presentApproval);
  }
}
