import { Module } from '@nestjs/common';
import { DecisionDimensions, UserDirectory } from '#core';
import type { Library } from '#database';
import { OperatorRegistry, type ConditionOperator } from './decide/index.js';
import { ApprovalExpiry } from './approvals/approval-expiry.js';
import { ApprovalListService } from './approvals/approval-list.service.js';
import { ApprovalHistory } from './approvals/approval-history.js';
import { ApprovalTerms } from './approvals/approval-terms.js';
import { Approval } from './approvals/approval.entity.js';
import { ApprovalService } from './approvals/approval.service.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { OrganizationGrants } from './approvals/organization-grants.js';
import { OwnApprovals } from './approvals/own-approvals.js';
import { RelayedApprovals } from './approvals/relayed-approvals.js';
import { StoredApprovalRequests } from './approvals/stored-approval-requests.js';
import { DecisionLedger } from './decisions/decision-ledger.js';
import { DecisionLog } from './records/decision-log.js';
import { DecisionMetrics } from './decisions/decision-metrics.js';
import { DecisionRecorder } from './records/decision-recorder.js';
import { DecisionService } from './decisions/decision.service.js';
import { RecentDecisions } from './records/recent-decisions.js';
import { RecordedDimensions } from './records/recorded-dimensions.js';
import { RecordKeeping } from './records/record-keeping.js';
import { RecordUpkeep } from './records/record-upkeep.js';
import { RecordWriter } from './records/record-writer.js';
import { ReleaseService } from './decisions/release.service.js';
import { RequestJudge } from './decisions/request-judge.js';
import { SubjectLookup } from './decisions/subject-lookup.js';
import { Grants } from './decisions/grants.port.js';
import { ApprovalRequests } from './records/approval-requests.port.js';
import { RepeatedDecisions } from './records/repeated-decisions.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { DecisionExplainer } from './explain/decision-explainer.js';
import { ExplanationController } from './explain/explanation.controller.js';
import { PolicyHistoryStore } from './policies/policy-history-store.js';
import { PolicyHistoryController } from './history/policy-history.controller.js';
import { PolicyHistory } from './history/policy-history.service.js';
import { PolicyHitsController } from './hits/policy-hits.controller.js';
import { PolicyHitLists } from './hits/policy-hits.service.js';
import { PoliciesMigration0400 } from './migrations/0400-policies.migration.js';
import { ApprovalsMigration0410 } from './migrations/0410-approvals.migration.js';
import { PolicyVersionsMigration0420 } from './migrations/0420-policy-versions.migration.js';
import { KeptKeysMigration0430 } from './migrations/0430-kept-keys.migration.js';
import { PolicyHitsMigration0440 } from './migrations/0440-policy-hits.migration.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PolicyConfiguration } from './policies/policy-configuration.js';
import { PolicyListService } from './policies/policy-list.service.js';
import { PolicySnapshots } from './policies/policy-snapshots.js';
import { Policy } from './policies/policy.entity.js';
import { PolicyService } from './policies/policy.service.js';
import { DecisionScan } from './simulation/decision-scan.js';
import { PolicyProposals } from './simulation/policy-proposals.js';
import { PolicySimulator } from './simulation/policy-simulator.js';
import { SimulatedUsage } from './simulation/simulated-usage.js';
import { SimulationController } from './simulation/simulation.controller.js';
import { CONDITION_OPERATORS } from './policy.options.js';
import { PolicyOverview } from './approvals/policy-overview.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Policies, decisions, approvals and simulation. */
@Module({})
export class PolicyModule {
  static readonly library: Library = {
    name: 'policy',
    providers: [
      {
        provide: OperatorRegistry,
        inject: [CONDITION_OPERATORS],
        useFactory: (operators: ConditionOperator[]) => new OperatorRegistry(operators),
      },
      PolicyService,
      PolicyHistoryStore,
      PolicyHistory,
      PolicyHitLists,
      PolicyListService,
      PolicySnapshots,
      RecordKeeping,
      RecordWriter,
      RecordUpkeep,
      DecisionRecorder,
      RecentDecisions,
      DecisionLog,
      RepeatedDecisions,
      DecisionMetrics,
      DecisionLedger,
      SubjectLookup,
      RequestJudge,
      DecisionService,
      ReleaseService,
      DecisionExplainer,
      ApprovalTerms,
      ApprovalHistory,
      { provide: ApprovalRequests, useClass: StoredApprovalRequests },
      { provide: Grants, useClass: OrganizationGrants },
      OwnApprovals,
      ApprovalService,
      ApprovalListService,
      RelayedApprovals,
      ApprovalExpiry,
      PolicyOverview,
      PolicyConfiguration,
      DecisionScan,
      PolicyProposals,
      SimulatedUsage,
      PolicySimulator,
    ],
    ports: [{ provide: DecisionDimensions, useClass: RecordedDimensions }],
    requires: [UserDirectory],
    // Express matches routes in this order, so the most frequent route comes first.
    controllers: [
      DecisionsController,
      ExplanationController,
      // Must come before `/v1/policies/:id`, which would interpret `hits` as an id.
      PolicyHitsController,
      PoliciesController,
      PolicyHistoryController,
      SimulationController,
      ApprovalsController,
    ],
    entities: [Policy, Approval],
    migrations: [
      { name: '0400_policies', class: PoliciesMigration0400, tables: ['decision_keys', 'decisions', 'policies'] },
      { name: '0410_approvals', class: ApprovalsMigration0410, tables: ['approvals'] },
      { name: '0420_policy_versions', class: PolicyVersionsMigration0420, tables: ['policy_versions'] },
      { name: '0430_kept_keys', class: KeptKeysMigration0430 },
      { name: '0440_policy_hits', class: PolicyHitsMigration0440, tables: ['policy_hits'] },
    ],
    personal: PERSONAL_TABLES,
    exports: [
      DecisionService,
      ReleaseService,
      PolicyService,
      PolicyListService,
      PolicySimulator,
      ApprovalService,
      ApprovalListService,
      PolicyHistory,
      DecisionLog,
      DecisionExplainer,
    ],
  };
}
