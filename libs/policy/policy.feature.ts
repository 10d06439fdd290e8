import type { Feature } from '#database';
import { OperatorRegistry, type ConditionOperator } from './decide/index.js';
import { ApprovalExpiry } from './approvals/approval-expiry.js';
import { ApprovalListService } from './approvals/approval-list.service.js';
import { ApprovalRequests } from './approvals/approval-requests.js';
import { ApprovalTerms } from './approvals/approval-terms.js';
import { Approval } from './approvals/approval.entity.js';
import { ApprovalService } from './approvals/approval.service.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { OrganizationGrants } from './approvals/organization-grants.js';
import { OwnApprovals } from './approvals/own-approvals.js';
import { DecisionLedger } from './decisions/decision-ledger.js';
import { DecisionLog } from './decisions/decision-log.js';
import { DecisionMetrics } from './decisions/decision-metrics.js';
import { DecisionRecorder } from './decisions/decision-recorder.js';
import { DecisionService } from './decisions/decision.service.js';
import { ReleaseService } from './decisions/release.service.js';
import { RequestJudge } from './decisions/request-judge.js';
import { RequestParties } from './decisions/request-parties.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { PoliciesMigration0400 } from './migrations/0400-policies.migration.js';
import { ApprovalsMigration0410 } from './migrations/0410-approvals.migration.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PolicyListService } from './policies/policy-list.service.js';
import { PolicySnapshots } from './policies/policy-snapshots.js';
import { Policy } from './policies/policy.entity.js';
import { PolicyService } from './policies/policy.service.js';
import { CONDITION_OPERATORS } from './policy.options.js';

/** The policy library's part of the module. */
export const policyFeature: Feature = {
  providers: [
    {
      provide: OperatorRegistry,
      inject: [CONDITION_OPERATORS],
      useFactory: (operators: ConditionOperator[]) => new OperatorRegistry(operators),
    },
    PolicyService,
    PolicyListService,
    PolicySnapshots,
    DecisionRecorder,
    DecisionLog,
    DecisionMetrics,
    DecisionLedger,
    RequestParties,
    RequestJudge,
    DecisionService,
    ReleaseService,
    ApprovalTerms,
    ApprovalRequests,
    OrganizationGrants,
    OwnApprovals,
    ApprovalService,
    ApprovalListService,
    ApprovalExpiry,
  ],
  // Routes are looked through in this order, and decisions are asked for most.
  controllers: [DecisionsController, PoliciesController, ApprovalsController],
  entities: [Policy, Approval],
  migrations: [
    { name: '0400_policies', class: PoliciesMigration0400 },
    { name: '0410_approvals', class: ApprovalsMigration0410 },
  ],
};
