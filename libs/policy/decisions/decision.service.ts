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

/** One request of a batch, and the restrictions of its caller. */
interface Asked {
  readonly input: DecisionInput;
  readonly caller: DecisionCaller;
  readonly user: DirectoryUser | undefined;
}

/**
 * Options of `decide`. `em` or `tx` is a running transaction of the host. The decision's record, events and reservation
 * then exist only after it commits. The budgets of the request and its request for approval stay locked until then.
 * Decide once, late in the transaction, and do not call a provider in it.
 */
export type DecideOptions = HostTransaction & {
  /** The defaults and restrictions of the credential. */
  readonly caller?: DecisionCaller | undefined;
  /** Whether this process ends the request: see `endsHere` of SpendRequest. */
  readonly endsHere?: boolean | undefined;
};

const NOBODY: DecisionCaller = {};

/**
 * Decides whether a person may use a model. People and policies are read from memory. Blocking budgets are reserved in
 * one statement per batch. Most records are written after the response (write-behind). A decision with an idempotency
 * key, a violation or a required approval is committed before the response, with its events and its request for
 * approval.
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
   * Decides about one request. The input must have been checked, as `parseDecision` does.
   * @throws UnavailableError if the people, the policies or the budgets cannot be read, or the decision cannot be
   * recorded
   * @throws ConflictError if the idempotency key belongs to another request
   * @throws OrganizationSuspendedError
   */
  async decide(orgId: string, asked: DecisionInput, options: DecideOptions = {}): Promise<Decision> {
    await this.requests.assertActive(orgId);
    const { caller = NOBODY, endsHere = false } = options;
    const input = boundInput(asked, caller);
    const host = hostSql(options);
    if (host) return this.decideWithin(host, orgId, input, caller);
    return this.underKey(orgId, input, async () => {
      const [user] = await this.requests.people(orgId, [input]);
      // A caller with an idempotency key may repeat the request and end it in another process.
      return this.conclude(orgId, { input, user, caller }, endsHere && input.idempotency_key === undefined);
    });
  }

  /**
   * If a request with the same key is already running, a repeated request gets the same result. Otherwise it would make
   * a second reservation, and the first reservation might have exhausted the budget. Across replicas, the records
   * determine which request was first.
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
   * Decides about up to 100 independent requests. Results are in the order of the requests. Requests with the same
   * idempotency key get one decision.
   * @throws UnavailableError as {@link decide}; then no decision without a key is recorded, so the whole batch can be
   * sent again
   * @throws ConflictError if a key belongs to another request, from before or in this batch. Then nothing is recorded,
   * unless a concurrent request takes the key at this moment
   */
  async decideAll(
    orgId: string,
    asked: readonly DecisionInput[],
    caller: DecisionCaller = NOBODY,
  ): Promise<Decision[]> {
    await this.requests.assertActive(orgId);
    const inputs = asked.map(input => boundInput(input, caller));
    const firsts = firstOfEachKey(inputs);
    const keyed = await this.repeats.of(orgId, firsts);
    const users = await this.requests.people(orgId, inputs);
    // Requests with keys come first, because only they can conflict with other requests. After a conflict, no further
    // request may be recorded.
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

  private async conclude(orgId: string, { input, user, caller }: Asked, endsHere: boolean): Promise<Decision> {
    const room = this.ledger.room(orgId);
    if (room) await room;
    const judgement = await this.requests.judge(orgId, input, user, caller);
    const judged = this.requests.decisionFrom(input, judgement, caller);
    const request = { ...spendRequestOf(judged), endsHere };
    const asked = judged.decision.allowed ? this.spend.reserve(orgId, request) : undefined;
    const made = asked ? withVerdict(judged, await asked) : judged;
    if (isAwaited(made)) return (await this.recordAll(orgId, [made]))[0] ?? made.decision;
    this.ledger.queueRecord(orgId, made);
    return made.decision;
  }

  /** Decides about the requests of one batch. If one fails, none is recorded, and all reservations are released. */
  private async concludeAll(orgId: string, asked: readonly Asked[]): Promise<Decision[]> {
    if (asked.length === 0) return [];
    const room = this.ledger.room(orgId);
    if (room) await room;
    const judged = await this.judgeAll(orgId, asked);
    const verdicts = await Promise.allSettled(
      judged.map(async one => (one.decision.allowed ? this.spend.reserve(orgId, spendRequestOf(one)) : undefined)),
    );
    const made = judged.map((one, at) => withVerdict(one, valueOf(verdicts[at])));
    const refused = verdicts.find(({ status }) => status === 'rejected');
    if (!refused) return this.recordAll(orgId, made);
    this.tryToGiveBack(orgId, made);
    throw reasonOf(refused);
  }

  /**
   * The evaluation yields to the event loop and to other organizations, because thousands of policies may match each
   * request.
   */
  private judgeAll(orgId: string, asked: readonly Asked[]): Promise<MadeDecision[]> {
    return Promise.all(
      asked.map(async ({ input, user, caller }) => {
        const judgement = await this.turns.take(orgId, () => this.requests.judge(orgId, input, user, caller));
        return this.turns.take(orgId, () => this.requests.decisionFrom(input, judgement, caller));
      }),
    );
  }

  /**
   * Records decisions. Releases the reservation of a decision if an earlier decision is valid instead, or if it was not
   * recorded.
   */
  private async recordAll(orgId: string, made: readonly MadeDecision[]): Promise<Decision[]> {
    let outcomes: PromiseSettledResult<Decision>[];
    try {
      outcomes = await this.ledger.recordAll(orgId, made);
    } catch (error) {
      // If a record is in doubt, its decision may still be returned to a repeated request. Its reservation must
      // therefore stay.
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

  /** Releases reservations without waiting. If this fails during an outage, the reservations expire. */
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
    const judged = this.requests.decisionFrom(input, judgement, caller);
    const request = spendRequestOf(judged);
    const verdict = judged.decision.allowed ? await this.spend.reserveWithin(tx, orgId, request) : undefined;
    const recorded = await this.ledger.recordInTransaction(em, orgId, withVerdict(judged, verdict));
    if (recorded) {
      await tx.query('release savepoint governance_decision');
      return recorded;
    }
    // Another request has taken the key in the meantime, so the writes and reservations of this decision are rolled
    // back.
    await tx.query('rollback to savepoint governance_decision');
    const first = await this.repeats.within(tx, orgId, input);
    if (!first) throw new UnavailableError('The decision could not be recorded; try again shortly.');
    return first;
  }
}
