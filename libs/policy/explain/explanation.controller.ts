import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AlsoNeeds, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { ApprovalResponseDto } from '../approvals/approval.dto.js';
import { presentApproval } from '../approvals/approval.presenter.js';
import { DecisionExplainer } from './decision-explainer.js';
import type { Explanation } from './explanation.js';
import { ExplanationDto } from './explanation.dto.js';

/** Why decisions came out as they did, over HTTP. */
@GovernanceController('v1/decisions', 'Decisions')
export class ExplanationController {
  constructor(private readonly explainer: DecisionExplainer) {}

  @Get(':id/explanation')
  @Requires('decisions:read')
  @AlsoNeeds('policies:read', 'approvals:read', 'users:read')
  @ApiOperation({
    operationId: 'getDecisionExplanation',
    summary: 'Tell why a decision came out as it did, and what has changed since',
    description:
      'Policies as they were then, also where they have been changed or deleted. The answer shows what the further ' +
      'scopes open.',
  })
  @ApiOkResponse({ type: ExplanationDto, description: 'The explanation.' })
  @Refuses(404)
  explain(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<Explanation<ApprovalResponseDto>> {
    return this.explainer.explain(orgId, id, presentApproval);
  }
}
