import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, GovernanceError, UnavailableError, UserDirectory, type DirectoryUser } from '#core';
import { PolicySnapshots } from '../policies/policy-snapshots.js';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import type { Decision, DecisionInput } from './decision.js';
import { DecisionIds } from './decision-ids.js';
import { DecisionLedger } from './decision-ledger.js';
import { judge, type Judgement } from './judge.js';
import { presentMatches } from './present-matches.js';

/**
 * Decides whether a person may use a model. People and policies come from memory; the record is written behind, except
 * where an idempotency key asks for one decision on all replicas.
 */
@Injectable()
export class DecisionService {
  private readonly logger = new Logger('Governance');
  private readonly ids = new DecisionIds();

  constructor(
    private readonly snapshots: PolicySnapshots,
    private readonly users: UserDirectory,
    private readonly ledger: DecisionLedger,
    private readonly clock: Clock,
    @Inject(POLICY_OPTIONS) private readonly options: PolicyOptions,
  ) {}

  /**
   * Decides one request. The input must be checked already, as `parseDecision` does.
   * @throws UnavailableError where the people or the policies cannot be known, or a decision cannot be recorded
   * @throws ConflictError where the idempotency key belongs to another request
   */
  async decide(orgId: string, input: DecisionInput): Promise<Decision> {
    const [user] = await this.find(orgId, [input]);
    return this.conclude(orgId, input, user);
  }

  /** Decides up to 100 requests, each on its own; the answers stand at their requests' places. */
  async decideAll(orgId: string, inputs: readonly DecisionInput[]): Promise<Decision[]> {
    const users = await this.find(orgId, inputs);
    return Promise.all(inputs.map((input, at) => this.conclude(orgId, input, users[at])));
  }

  private async conclude(orgId: string, input: DecisionInput, user: DirectoryUser | undefined): Promise<Decision> {
    const snapshot = this.snapshots.peek(orgId) ?? (await this.snapshots.load(orgId));
    const room = this.ledger.room();
    if (room) await room;
    const judgement = judge(snapshot, user, input, this.options);
    const decision = this.answer(judgement);
    if (input.idempotency_key !== undefined) return this.ledger.enterOnce(orgId, input, judgement, decision);
    this.ledger.enter(orgId, input, judgement, decision);
    return decision;
  }

  private answer({ action, reason, matches }: Judgement): Decision {
    const now = this.clock.now();
    return {
      id: this.ids.next(now),
      action,
      allowed: action === 'allow' || action === 'alert',
      reason,
      policies: presentMatches(matches),
      evaluated_at: now.toISOString(),
    };
  }

  private async find(orgId: string, inputs: readonly DecisionInput[]): Promise<(DirectoryUser | undefined)[]> {
    try {
      return await this.users.find(orgId, inputs);
    } catch (error) {
      if (error instanceof GovernanceError) throw error;
      this.logger.error(`The user directory does not answer: ${String(error)}`);
      throw new UnavailableError('The user directory cannot be reached; try again shortly.');
    }
  }
}
