import { Injectable } from '@nestjs/common';
import { canonicalJson, SpendGuard, UnavailableError, type DirectoryUser, type SqlTransaction } from '#core';
import { hostSql, OrgDatabase, sqlOf, type HostTransaction } from '#database';
import type { Decision, DecisionInput } from '../records/decision.js';
import { firstOfEachKey, reasonOf, valueOf } from './decision-batch.js';
import { boundInput, type DecisionCaller } from './decision-caller.js';
import { DecisionLedger } from './decision-ledger.js';
import { IdempotencyKeyReusedError, RepeatedDecisions } from '../records/repeated-decisions.js';
import { isAwaited, type MadeDecision } from './record-entry.js';
import { FairTurns } from './fair-turns.js';
import { RecordInDoubtError } from '../records/decision-recorder.js';
import { RequestJudge } from './request-judge.js';
import { spendRequestOf, withVerdict } from './spend.js';

/** One request of a batch, and who makes it. */
interface Asked {
  readonly input: DecisionInput;
  readonly caller: DecisionCaller;
  readonly user: DirectoryUser | undefined;
}

/**
 * How a decision is made. With `em` or `tx`, a running transaction of the host's, the decision's record, its events and
 * what it reserves exist when that transaction commits, and only then. Budgets that the request counts against, and a
 * request for approval that it makes or repeats, stay locked until its end: decide late in the transaction, once, and
 * call no provider in it.
 */
export type DecideOptions = HostTransaction & {
  /** What the credential says that the request comes with. */
  readonly caller?: DecisionCaller | undefined;
};

const NOBODY: DecisionCaller = {};

/**
 * Decides whether a person may use a model. People and policies come from memory; what a blocking budget guards is
 * reserved in one statement with its neighbours. The record is written behind, except where an idempotency key asks for
 * one decision on all replicas, where a policy was violated, and where one waits for an approval: then the
 * decision is committed, with its events and the request for approval, before it is answered.
 */
@Injectable()
export class DecisionService {
  private readonly turns = new FairTurns();
  private readonly underWay = new Map<string, { input: DecisionInput; decision: Promise<Decision> }>();

  constructor(
    private readonly requests: RequestJudge,
    private readonly spend: SpendGuard,
    private readonly repeats: RepeatedDecisions,
    private readonly ledger: DecisionLedger,
    private readonly database: OrgDatabase,
  ) {}

  /**
   * Decides one request. The input must be checked already, as `parseDecision` does.
   * @throws UnavailableError where the people, the policies or the budgets cannot be known, or a decision cannot be
   *   recorded
   * @throws ConflictError where the idempotency key belongs to another request
   */
  async decide(orgId: string, asked: DecisionInput, options: DecideOptions = {}): Promise<Decision> {
    const { caller = NOBODY } = options;
    const input = boundInput(asked, caller);
    const host = hostSql(options);
    if (host) return this.decideWithin(host, orgId, input, caller);
    return this.underKey(orgId, input, async () => {
      const [user] = await this.requests.people(orgId, [input]);
      return this.conclude(orgId, input, user, caller);
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
    const decision = this.repeats
      .of(orgId, firsts)
      .then(known => known.get(input.idempotency_key ?? '') ?? make())
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, { input, decision });
    return decision;
  }

  /**
   * Decides up to 100 requests, each on its own; the answers stand at their requests' places. Requests with the same
   * idempotency key are decided once.
   * @throws UnavailableError as {@link decide}: then nothing without a key is recorded, so that all can be asked again
   * @throws ConflictError where a key belongs to another request, before or in this batch; then nothing is recorded,
   *   unless somebody else takes the key at this very moment
   */
  async decideAll(
    orgId: string,
    asked: readonly DecisionInput[],
    caller: DecisionCaller = NOBODY,
  ): Promise<Decision[]> {
    const inputs = asked.map(input => boundInput(input, caller));
    const firsts = firstOfEachKey(inputs);
    const keyed = await this.repeats.of(orgId, firsts);
    const users = await this.requests.people(orgId, inputs);
    // Those with keys first: only they can be refused for what somebody else did, and then no other may be recorded.
    const fresh = [...firsts].filter(([key]) => !keyed.has(key));
    const made = await this.concludeAll(
      orgId,
      fresh.map(([, input]) => ({ input, caller, user: users[inputs.indexOf(input)] })),
    );
    fresh.forEach(([key], at) => made[at] && keyed.set(key, made[at]));
    const others = inputs.flatMap((input, at) =>
      input.idempotency_key === undefined ? [{ input, caller, user: users[at] }] : [],
    );
    const answers = (await this.concludeAll(orgId, others)).values();
    return inputs.map(({ idempotency_key: key }) => {
      const answer = key === undefined ? answers.next().value : keyed.get(key);
      if (!answer) throw new Error('A request of a batch has not been answered.');
      return answer;
    });
  }

  private async conclude(
    orgId: string,
    input: DecisionInput,
    user: DirectoryUser | undefined,
    caller: DecisionCaller,
  ): Promise<Decision> {
    const room = this.ledger.room(orgId);
    if (room) await room;
    const judgement = await this.requests.judge(orgId, input, user, caller);
    const judged = this.requests.answer(input, judgement);
    const asked = judged.decision.allowed ? this.spend.reserve(orgId, spendRequestOf(judged, caller)) : undefined;
    const made = asked ? withVerdict(judged, await asked) : judged;
    if (isAwaited(made)) return (await this.enterAll(orgId, [made]))[0] ?? made.decision;
    this.ledger.enter(orgId, made);
    return made.decision;
  }

  /** Decides requests of one batch: where one cannot be, none is entered, and what was reserved is given back. */
  private async concludeAll(orgId: string, asked: readonly Asked[]): Promise<Decision[]> {
    if (asked.length === 0) return [];
    const room = this.ledger.room(orgId);
    if (room) await room;
    const judged = await this.judgeAll(orgId, asked);
    const verdicts = await Promise.allSettled(
      judged.map(async (one, at) => {
        const caller = asked[at]?.caller ?? NOBODY;
        return one.decision.allowed ? this.spend.reserve(orgId, spendRequestOf(one, caller)) : undefined;
      }),
    );
    const made = judged.map((one, at) => withVerdict(one, valueOf(verdicts[at])));
    const refused = verdicts.find(({ status }) => status === 'rejected');
    if (!refused) return this.enterAll(orgId, made);
    this.tryToGiveBack(orgId, made);
    throw reasonOf(refused);
  }

  /** Judging takes turns with the event loop and with other organizations: thousands of policies may match each request. */
  private judgeAll(orgId: string, asked: readonly Asked[]): Promise<MadeDecision[]> {
    return Promise.all(
      asked.map(async ({ input, user, caller }) => {
        const judgement = await this.turns.take(orgId, () => this.requests.judge(orgId, input, user, caller));
        return this.turns.take(orgId, () => this.requests.answer(input, judgement));
      }),
    );
  }

  /** Enters decisions. What those have reserved that do not hold, or were not recorded, is given back. */
  private async enterAll(orgId: string, made: readonly MadeDecision[]): Promise<Decision[]> {
    let outcomes: PromiseSettledResult<Decision>[];
    try {
      outcomes = await this.ledger.enterAll(orgId, made);
    } catch (error) {
      // Where a record is in doubt, a repeat may be answered with it: then the reservation must be there.
      if (!(error instanceof RecordInDoubtError)) this.tryToGiveBack(orgId, made);
      throw error;
    }
    const failed = made.filter(({ decision }, at) => valueOf(outcomes[at])?.id !== decision.id);
    if (failed.length > 0) await this.giveBack(orgId, failed);
    return outcomes.map(outcome => {
      if (outcome.status === 'rejected') throw reasonOf(outcome);
      return outcome.value;
    });
  }

  /** In an outage it cannot be: then it expires. */
  private tryToGiveBack(orgId: string, made: readonly MadeDecision[]): void {
    this.giveBack(orgId, made).catch(() => undefined);
  }

  private async giveBack(orgId: string, made: readonly MadeDecision[]): Promise<void> {
    await Promise.all(
      made.map(async ({ decision: { reservation, id } }) => reservation && this.spend.release(orgId, id)),
    );
  }

  private async decideWithin(
    host: SqlTransaction,
    orgId: string,
    input: DecisionInput,
    caller: DecisionCaller,
  ): Promise<Decision> {
    const em = await this.database.join(host, orgId);
    const tx = sqlOf(em);
    const [user] = await this.requests.people(orgId, [input]);
    const before = await this.repeats.within(tx, orgId, input);
    if (before) return before;
    await tx.query('savepoint governance_decision');
    const judgement = await this.requests.judge(orgId, input, user, caller);
    const judged = this.requests.answer(input, judgement);
    const request = spendRequestOf(judged, caller);
    const verdict = judged.decision.allowed ? await this.spend.reserveWithin(tx, orgId, request) : undefined;
    const entered = await this.ledger.enterWithin(em, orgId, withVerdict(judged, verdict));
    if (entered) {
      await tx.query('release savepoint governance_decision');
      return entered;
    }
    // The key was taken meanwhile: what this decision has written and reserved is undone.
    await tx.query('rollback to savepoint governance_decision');
    const first = await this.repeats.within(tx, orgId, input);
    if (!first) throw new UnavailableError('The decision could not be recorded; try again shortly.');
    return first;
  }
}
