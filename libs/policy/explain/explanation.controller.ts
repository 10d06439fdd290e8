import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor, type Scope } from '#access';
import { ForbiddenError } from '#core';
import type { ApprovalResponseDto } from '../approvals/approval.dto.js';
import { presentApproval } from '../approvals/approval.presenter.js';
import { DecisionExplainer } from './decision-explainer.js';
import type { Explanation } from './explanation.js';
import { ExplanationDto } from './explanation.dto.js';

/** An explanation shows what these open, beside the decision. */
const NEEDED: readonly Scope[] = ['policies:read', 'approvals:read', 'users:read'];

/** Why decisions came out as they did, over HTTP. */
@GovernanceController('v1/decisions', 'Decisions')
export class ExplanationController {
  constructor(private readonly explainer: DecisionExplainer) {}

  @Get(':id/explanation')
  @Requires('decisions:read')
  @ApiOperation({
    operationId: 'getDecisionExplanation',
    summary: 'Tell why a decision came out as it did, and what has changed since',
    description:
      'Policies as they were then, also where they have been changed or deleted. ' +
      `The credential needs the scopes ${NEEDED.join(', ')}, too, because the answer shows what they open.`,
  })
  @ApiOkResponse({ type: ExplanationDto, description: 'The explanation.' })
  @Refuses(404)
  explain(
    @CurrentActor() { orgId, scopes }: Actor,
    @ResourceId() id: string,
  ): Promise<Explanation<ApprovalResponseDto>> {
    const missing = NEEDED.filter(scope => !scopes.has(scope));
    if (missing.length > 0) {
      throw new ForbiddenError(`An explanation needs the scopes ${missing.join(', ')}, too: it shows what they open.`);
    }
    return this.explainer.explain(orgId, id, presentApproval);
  }
}
