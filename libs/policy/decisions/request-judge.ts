import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, GovernanceError, UnavailableError, UserDirectory, type DirectoryUser, type UserReference } from '#core';
import { withGrants } from '../approvals/grants.js';
import { OrganizationGrants } from '../approvals/organization-grants.js';
import { PolicySnapshots } from '../policies/policy-snapshots.js';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import type { DecisionInput } from './decision.js';
import { judge, type Judgement } from './judge.js';

/** Judges requests by what is in memory: the people, the policies, and what was granted. */
@Injectable()
export class RequestJudge {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly snapshots: PolicySnapshots,
    private readonly users: UserDirectory,
    @Inject(POLICY_OPTIONS) private readonly options: PolicyOptions,
    private readonly grants: OrganizationGrants,
    private readonly clock: Clock,
  ) {}

  /**
   * The people that some requests name, each at its request's place; undefined where nobody is known.
   * @throws UnavailableError where the directory cannot be reached
   */
  async people(orgId: string, inputs: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    try {
      return await this.users.find(orgId, inputs);
    } catch (error) {
      if (error instanceof GovernanceError) throw error;
      this.logger.error(`The user directory does not answer: ${String(error)}`);
      throw new UnavailableError('The user directory cannot be reached; try again shortly.');
    }
  }

  /** @throws UnavailableError where the policies, or what was granted, cannot be known */
  async judge(orgId: string, input: DecisionInput, user: DirectoryUser | undefined): Promise<Judgement> {
    const snapshot = this.snapshots.peek(orgId) ?? (await this.snapshots.of(orgId));
    const judgement = judge(snapshot, user, input, this.options);
    if (judgement.action !== 'require_approval') return judgement;
    const grants = this.grants.peek(orgId) ?? (await this.grants.of(orgId));
    return withGrants(judgement, grants, input.model, this.clock.now());
  }
}
