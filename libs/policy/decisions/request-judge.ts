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

/** Judges requests by what is in memory: the people, their devices, the policies, and what was granted. */
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
   * The people that some requests name, each at its request's place; undefined where nobody is known.
   * @throws UnavailableError where the directory cannot be reached
   */
  people(orgId: string, inputs: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    return this.subjects.people(orgId, inputs);
  }

  /** @throws UnavailableError where the policies, the device, or what was granted, cannot be known */
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

  /** The decision that a judgement comes to, unless a budget or a limit has no room for it. */
  answer(input: DecisionInput, judgement: Judgement): MadeDecision {
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
    return { input, judgement, decision, policiesWeight: weight };
  }
}
