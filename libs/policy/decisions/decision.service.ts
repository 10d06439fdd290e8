import { Inject, Injectable, Logger } from '@nestjs/common';
import { canonicalJson, Clock, GovernanceError, UnavailableError, UserDirectory, type DirectoryUser } from '#core';
import { PolicySnapshots } from '../policies/policy-snapshots.js';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import type { Decision, DecisionInput } from './decision.js';
import { DecisionIds } from './decision-ids.js';
import { DecisionLedger, IdempotencyKeyReusedError } from './decision-ledger.js';
import { judge, type Judgement } from './judge.js';
import { presentMatches } from './present-matches.js';

/**
 * Decides whether a person may use a model. People and policies come from memory; the record is written behind, except
 * where an idempotency key asks for one decision on all replicas, and where a policy was violated: then the decision and
 * its events are committed before it is answered.
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

  /**
   * Decides up to 100 requests, each on its own; the answers stand at their requests' places. Requests with the same
   * idempotency key are decided once.
   * @throws UnavailableError where the people or the policies cannot be known, or a decision cannot be recorded
   * @throws ConflictError where a key belongs to another request, before or in this batch; then nothing is recorded,
   *   unless somebody else takes the key at this very moment
   */
  async decideAll(orgId: string, inputs: readonly DecisionInput[]): Promise<Decision[]> {
    const firsts = firstOfEachKey(inputs);
    const keyed = await this.ledger.known(orgId, firsts);
    const users = await this.find(orgId, inputs);
    // Those with keys first: only they can be refused for what somebody else did, and then no other may be recorded.
    await Promise.all(
      [...firsts]
        .filter(([key]) => !keyed.has(key))
        .map(async ([key, input]) => {
          keyed.set(key, await this.conclude(orgId, input, users[inputs.indexOf(input)]));
        }),
    );
    return Promise.all(
      inputs.map(async (input, at) => {
        const made = input.idempotency_key === undefined ? undefined : keyed.get(input.idempotency_key);
        return made ?? this.conclude(orgId, input, users[at]);
      }),
    );
  }

  private async conclude(orgId: string, input: DecisionInput, user: DirectoryUser | undefined): Promise<Decision> {
    const snapshot = this.snapshots.peek(orgId) ?? (await this.snapshots.load(orgId));
    const room = this.ledger.room();
    if (room) await room;
    const judgement = judge(snapshot, user, input, this.options);
    const decision = this.answer(judgement);
    if (input.idempotency_key !== undefined) return this.ledger.enterOnce(orgId, input, judgement, decision);
    if (judgement.violations.length > 0) await this.ledger.enterViolation(orgId, input, judgement, decision);
    else this.ledger.enter(orgId, input, judgement, decision);
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

/** The first request of each idempotency key. @throws IdempotencyKeyReusedError where a key stands for two requests */
function firstOfEachKey(inputs: readonly DecisionInput[]): Map<string, DecisionInput> {
  const firsts = new Map<string, DecisionInput>();
  for (const input of inputs) {
    if (input.idempotency_key === undefined) continue;
    const first = firsts.get(input.idempotency_key);
    if (!first) firsts.set(input.idempotency_key, input);
    else if (canonicalJson(first) !== canonicalJson(input)) throw new IdempotencyKeyReusedError();
  }
  return firsts;
}
