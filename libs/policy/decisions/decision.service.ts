import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { canonicalJson, Clock, SpendGuard, type DirectoryUser } from '#core';
import { nameOrganization, sqlOf } from '#database';
import type { Decision, DecisionInput } from './decision.js';
import { DecisionIds } from './decision-ids.js';
import { DecisionLedger, IdempotencyKeyReusedError } from './decision-ledger.js';
import type { Judgement } from './judge.js';
import { presentMatches } from './present-matches.js';
import { RequestJudge } from './request-judge.js';
import { spendRequestOf, withVerdict } from './spend.js';

/** How a decision is made. */
export interface DecideOptions {
  /**
   * A running transaction of the host's to decide in: the decision's record, its events and what it reserves exist when
   * that transaction commits, and only then. Budgets that the request counts against, and a request for approval that
   * it makes or repeats, stay locked until its end: decide late in the transaction, once, and call no
   * provider in it.
   */
  em?: EntityManager;
}

/**
 * Decides whether a person may use a model. People and policies come from memory; what a blocking budget guards is
 * reserved in one statement with its neighbours. The record is written behind, except where an idempotency key asks for
 * one decision on all replicas, where a policy was violated, and where one waits for an approval: then the
 * decision is committed, with its events and the request for approval, before it is answered.
 */
@Injectable()
export class DecisionService {
  private readonly ids = new DecisionIds();
  private readonly underWay = new Map<string, { input: DecisionInput; decision: Promise<Decision> }>();

  constructor(
    private readonly requests: RequestJudge,
    private readonly spend: SpendGuard,
    private readonly ledger: DecisionLedger,
    private readonly clock: Clock,
  ) {}

  /**
   * Decides one request. The input must be checked already, as `parseDecision` does.
   * @throws UnavailableError where the people, the policies or the budgets cannot be known, or a decision cannot be
   *   recorded
   * @throws ConflictError where the idempotency key belongs to another request
   */
  async decide(orgId: string, input: DecisionInput, { em }: DecideOptions = {}): Promise<Decision> {
    if (em) return this.decideWithin(em, orgId, input);
    return this.underKey(orgId, input, async () => {
      const [user] = await this.requests.people(orgId, [input]);
      return this.conclude(orgId, input, user);
    });
  }

  /**
   * A request that is repeated while the first one is under way shares its answer: it would reserve beside it, and
   * might be refused for what the first one holds. On another replica the records decide which one was first.
   */
  private async underKey(orgId: string, input: DecisionInput, make: () => Promise<Decision>): Promise<Decision> {
    if (input.idempotency_key === undefined) return make();
    const key = `${orgId}\0${input.idempotency_key}`;
    const same = this.underWay.get(key);
    if (same) {
      if (canonicalJson(same.input) !== canonicalJson(input)) throw new IdempotencyKeyReusedError();
      return same.decision;
    }
    const firsts = new Map([[input.idempotency_key, input]]);
    const decision = this.ledger
      .known(orgId, firsts)
      .then(known => known.get(input.idempotency_key ?? '') ?? make())
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, { input, decision });
    return decision;
  }

  /**
   * Decides up to 100 requests, each on its own; the answers stand at their requests' places. Requests with the same
   * idempotency key are decided once.
   * @throws UnavailableError as {@link decide}
   * @throws ConflictError where a key belongs to another request, before or in this batch; then nothing is recorded,
   *   unless somebody else takes the key at this very moment
   */
  async decideAll(orgId: string, inputs: readonly DecisionInput[]): Promise<Decision[]> {
    const firsts = firstOfEachKey(inputs);
    const keyed = await this.ledger.known(orgId, firsts);
    const users = await this.requests.people(orgId, inputs);
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
    const room = this.ledger.room();
    if (room) await room;
    const judgement = await this.requests.judge(orgId, input, user);
    const judged = this.answer(judgement);
    const asked = judged.allowed ? this.spend.reserve(orgId, spendRequestOf(input, judgement, judged)) : undefined;
    const decision = asked ? withVerdict(judged, await asked) : judged;
    if (input.idempotency_key !== undefined) return this.enterOnce(orgId, input, judgement, decision);
    if (judgement.violations.length > 0 || judgement.awaits) {
      return this.ledger.enterNow(orgId, input, judgement, decision);
    }
    this.ledger.enter(orgId, input, judgement, decision);
    return decision;
  }

  /** Of two decisions under one key one holds; what the other has reserved is given back. */
  private async enterOnce(
    orgId: string,
    input: DecisionInput,
    judgement: Judgement,
    decision: Decision,
  ): Promise<Decision> {
    const giveBack = async () => decision.reservation && this.spend.release(orgId, decision.id);
    try {
      const first = await this.ledger.enterOnce(orgId, input, judgement, decision);
      if (first.id !== decision.id) await giveBack();
      return first;
    } catch (error) {
      // Where the record is in doubt, a repeat may be answered with it: then the reservation must be there.
      if (error instanceof IdempotencyKeyReusedError) await giveBack();
      throw error;
    }
  }

  private async decideWithin(em: EntityManager, orgId: string, input: DecisionInput): Promise<Decision> {
    const tx = sqlOf(em);
    await nameOrganization(tx, orgId);
    const [user] = await this.requests.people(orgId, [input]);
    return this.ledger.onceWithin(tx, orgId, input, async () => {
      const judgement = await this.requests.judge(orgId, input, user);
      const judged = this.answer(judgement);
      const request = spendRequestOf(input, judgement, judged);
      const verdict = judged.allowed ? await this.spend.reserveWithin(tx, orgId, request) : undefined;
      const decision = withVerdict(judged, verdict);
      return this.ledger.enterWithin(em, orgId, input, judgement, decision);
    });
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
