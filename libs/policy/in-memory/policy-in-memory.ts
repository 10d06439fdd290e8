import { Inject, Injectable, type Provider } from '@nestjs/common';
import { SpendGuard, type DirectoryUser } from '#core';
import { GrantIndex } from '../decide/grants.js';
import { BUILT_IN_REGISTRY, OperatorRegistry, type ConditionOperator, type DecidablePolicy } from '../decide/index.js';
import type { Decision, DecisionInput } from '../records/decision.js';
import { DecisionLedger } from '../decisions/decision-ledger.js';
import { Grants } from '../decisions/grants.port.js';
import { DecisionNotFoundError } from '../records/decision-log.js';
import { DecisionService } from '../decisions/decision.service.js';
import type { Judgement } from '../decisions/judge.js';
import { ReleaseService, type ReleasedSpend } from '../decisions/release.service.js';
import { RequestJudge } from '../decisions/request-judge.js';
import { SubjectLookup } from '../decisions/subject-lookup.js';
import { dollars } from '../decisions/spend.js';
import { PolicySnapshots } from '../policies/policy-snapshots.js';
import { snapshotOf, type PolicySnapshot } from '../policies/policy-snapshot.js';
import { RepeatedDecisions } from '../records/repeated-decisions.js';
import { CONDITION_OPERATORS, POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import { LedgerInMemory } from './ledger-in-memory.js';
import { PolicyMemory } from './policy-memory.port.js';

/** Compiles the policies in memory on first use, and again after each change. */
@Injectable()
class SnapshotsInMemory implements Pick<PolicySnapshots, 'peek' | 'of'> {
  private compiled: { policies: readonly DecidablePolicy[]; snapshot: PolicySnapshot } | undefined;

  constructor(
    private readonly memory: PolicyMemory,
    private readonly operators: OperatorRegistry,
    @Inject(POLICY_OPTIONS) private readonly options: PolicyOptions,
  ) {}

  peek(): PolicySnapshot {
    const { policies } = this.memory;
    if (this.compiled?.policies === policies) return this.compiled.snapshot;
    const { defaultAction = 'allow' } = this.options;
    const snapshot = snapshotOf(policies, { operators: this.operators, defaultAction });
    this.compiled = { policies, snapshot };
    return snapshot;
  }

  async of(): Promise<PolicySnapshot> {
    return this.peek();
  }
}

/** No grants exist. */
const NO_GRANTS: Grants = { peek: () => new GrantIndex([]), of: async () => new GrantIndex([]) };

const NO_POLICIES = snapshotOf([], { operators: BUILT_IN_REGISTRY, defaultAction: 'allow' });

/** Evaluates requests, unless the memory contains a fixed answer. */
@Injectable()
class JudgeInMemory extends RequestJudge {
  @Inject(PolicyMemory) private readonly memory!: PolicyMemory;

  override async judge(orgId: string, input: DecisionInput, user: DirectoryUser | undefined): Promise<Judgement> {
    const answer = this.memory.fixedAnswer;
    if (!answer) return super.judge(orgId, input, user);
    const subject = user ?? { id: input.user_id, email: input.user_email, attributes: input.attributes };
    return { ...answer, matches: [], violations: [], subject, snapshot: NO_POLICIES };
  }
}

/** Makes decisions outside of any transaction: if the host's transaction is rolled back, records stay. */
@Injectable()
class DecisionsInMemory extends DecisionService {
  @Inject(PolicyMemory) private readonly memory!: PolicyMemory;

  override async decide(orgId: string, input: DecisionInput): Promise<Decision> {
    this.memory.assertOrganization(orgId);
    return super.decide(orgId, input);
  }

  override async decideAll(orgId: string, inputs: readonly DecisionInput[]): Promise<Decision[]> {
    this.memory.assertOrganization(orgId);
    return super.decideAll(orgId, inputs);
  }
}

@Injectable()
class ReleasesInMemory implements Pick<ReleaseService, 'release'> {
  constructor(
    private readonly memory: PolicyMemory,
    private readonly ledger: LedgerInMemory,
    private readonly spend: SpendGuard,
  ) {}

  async release(orgId: string, decisionId: string): Promise<ReleasedSpend> {
    this.memory.assertOrganization(orgId);
    const id = decisionId.toLowerCase();
    if (!this.ledger.has(orgId, id)) throw new DecisionNotFoundError(id);
    const picodollars = await this.spend.release(orgId, id);
    this.memory.released(orgId, id);
    return { decision_id: id, released_usd: dollars(picodollars) };
  }
}

/** The services that make decisions. The module must provide a {@link PolicyMemory}. */
export function policyInMemory(options: PolicyOptions, operators: readonly ConditionOperator[]): Provider[] {
  return [
    { provide: POLICY_OPTIONS, useValue: options },
    { provide: CONDITION_OPERATORS, useValue: operators },
    { provide: OperatorRegistry, useFactory: () => new OperatorRegistry(operators) },
    { provide: PolicySnapshots, useClass: SnapshotsInMemory },
    { provide: Grants, useValue: NO_GRANTS },
    SubjectLookup,
    { provide: RequestJudge, useClass: JudgeInMemory },
    LedgerInMemory,
    { provide: DecisionLedger, useExisting: LedgerInMemory },
    { provide: RepeatedDecisions, useExisting: LedgerInMemory },
    { provide: DecisionService, useClass: DecisionsInMemory },
    { provide: ReleaseService, useClass: ReleasesInMemory },
  ];
}
