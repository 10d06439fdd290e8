import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AlsoNeeds, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { ApprovalResponseDto } from '../approvals/approval.dto.js';
import { presentApproval } from '../approvals/approval.presenter.js';
import { DecisionExplainer } from './decision-explainer.js';
import type { Explanation } from './explanation.js';
import { ExplanationDto } from './explanation.dto.js';

/** HTTP routes of explanations of decisions. */
@GovernanceController('v1/decisions', 'Decisions')
export class ExplanationController {
  constructor(private readonly explainer: DecisionExplainer) {}

  @Get(':id/explanation')
  @Requires('decisions:read')
  @AlsoNeeds('policies:read', 'approvals:read', 'users:read')
  @ApiOperation({
    operationId: 'getDecisionExplanation',
    summary: 'Explain why a decision was made, and what has changed since',
    description:
      'Shows the versions of the policies that applied then, even if they were changed or deleted since. Some ' +
      'fields need further scopes.',
  })
  @ApiOkResponse({ type: ExplanationDto, description: 'The explanation.' })
  @Refuses(404)
  explain(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<Explanation<ApprovalResponseDto>> {
    return this.explainer.explain(orgId, id, presentApproval);
  }
}
