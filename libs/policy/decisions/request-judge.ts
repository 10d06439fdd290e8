import { Inject, Injectable } from '@nestjs/common';
import { Clock, type DirectoryUser, type UserReference } from '#core';
import { PolicySnapshots } from '../policies/policy-snapshots.js';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import type { Decision, DecisionInput } from '../records/decision.js';
import { DecisionIds } from '../records/decision-ids.js';
import { mayUse, type DecisionCaller } from './decision-caller.js';
import { Grants } from './grants.port.js';
import { blocked, judge, withGrants, type Judgement } from './judge.js';
import type { MadeDecision } from './record-entry.js';
import { SubjectLookup } from './subject-lookup.js';

const NOBODY: DecisionCaller = {};

/** Evaluates requests from memory: people, devices, policies and grants. */
@Injectable()
export class RequestJudge {
  private readonly ids = new DecisionIds();

  constructor(
    private readonly snapshots: PolicySnapshots,
    private readonly subjects: SubjectLookup,
    @Inject(POLICY_OPTIONS) private readonly options: PolicyOptions,
    private readonly grants: Grants,
    private readonly clock: Clock,
  ) {}

  /**
   * The people of some requests, in the order of the requests; undefined for unknown people.
   * @throws UnavailableError if the directory cannot be reached
   */
  people(orgId: string, inputs: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    return this.subjects.people(orgId, inputs);
  }

  /**
   * @throws OrganizationSuspendedError
   * @throws UnavailableError if the state of the organization cannot be read
   */
  assertActive(orgId: string): Promise<void> | undefined {
    return this.subjects.assertActive(orgId);
  }

  /** @throws UnavailableError if the policies, the device or the grants cannot be read */
  async judge(
    orgId: string,
    input: DecisionInput,
    user: DirectoryUser | undefined,
    caller: DecisionCaller = NOBODY,
  ): Promise<Judgement> {
    const snapshot = this.snapshots.peek(orgId) ?? (await this.snapshots.of(orgId));
    const deviceStatus =
      input.device_id === undefined ? undefined : await this.subjects.deviceStatus(orgId, input.device_id, user);
    const judgement = judge(snapshot, user, input, this.options, deviceStatus);
    if (judgement.action !== 'block' && !mayUse(caller, input.model)) return blocked('model_not_allowed', judgement);
    if (judgement.action !== 'require_approval') return judgement;
    const grants = this.grants.peek(orgId) ?? (await this.grants.of(orgId));
    return withGrants(judgement, grants, input.model, this.clock.now());
  }

  /** The decision that follows from an evaluation, before budgets and limits are checked. */
  decisionFrom(input: DecisionInput, judgement: Judgement, caller: DecisionCaller = NOBODY): MadeDecision {
    const { action, reason, matches, snapshot } = judgement;
    const now = this.clock.now();
    const { policies, weight } = snapshot.presenter.present(matches);
    const decision: Decision = {
      id: this.ids.next(now),
      action,
      allowed: action === 'allow' || action === 'alert',
      reason,
      policies,
      evaluated_at: now.toISOString(),
    };
    return { input, caller, judgement, decision, policiesWeight: weight };
  }
}
