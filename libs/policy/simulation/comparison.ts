import type { DeviceStatus, DirectoryUser } from '#core';
import {
  PolicyNotCompilableError,
  type CompileOptions,
  type DecidablePolicy,
  POLICY_ACTIONS,
  type PolicyMatch,
} from '../decide/index.js';
import type { DecisionInput } from '../records/decision.js';
import { judge, type Judgement } from '../decisions/judge.js';
import { snapshotOf, type PolicySnapshot } from '../policies/policy-snapshot.js';
import type { PolicyOptions } from '../policy.options.js';

/**
 * The action for a request. `unavailable`: no decision can be made, because a policy that may concern the request uses
 * an operator that is no longer installed.
 */
export const OUTCOMES = [...POLICY_ACTIONS, 'unavailable'] as const;

/** The outcome of a request: an action, or `unavailable`. */
export type Outcome = (typeof OUTCOMES)[number];

/** The outcomes of one request with both sets of policies. */
export interface ComparedOutcome {
  /** Outcome with the current policies. */
  readonly before: Outcome;
  /** Outcome with the draft. */
  readonly after: Outcome;
  /** Whether the draft matches. */
  readonly isMatched: boolean;
}

/** The input of an evaluation. */
export interface AskedRequest {
  /** The user; undefined if the directory does not know the person. */
  readonly user: DirectoryUser | undefined;
  readonly input: DecisionInput;
  /** Status of the device; undefined if the request contains no device. */
  readonly deviceStatus?: DeviceStatus | undefined;
}

/** The complete evaluations of one request with both sets of policies. Undefined if an evaluation is not possible. */
export interface ComparedJudgements {
  readonly before: Judgement | undefined;
  readonly after: Judgement | undefined;
}

/** Whether this outcome allows the request. */
export function isAllowed(outcome: Outcome): boolean {
  return outcome === 'allow' || outcome === 'alert';
}

/**
 * Compares an organization's current policies with the same policies and a draft. Uses the engine of real decisions.
 */
export class Comparison {
  private readonly before: PolicySnapshot;
  private readonly after: PolicySnapshot;

  /**
   * @param present the current enabled policies
   * @param draft replaces the policy with its id, or is added if there is none. A disabled draft is not evaluated
   */
  constructor(
    present: readonly DecidablePolicy[],
    readonly draft: DecidablePolicy,
    compile: Required<CompileOptions>,
    private readonly options: PolicyOptions,
  ) {
    this.before = snapshotOf(present, compile);
    this.after = snapshotOf([...present.filter(({ id }) => id !== draft.id), draft], compile);
  }

  /** Evaluates one request with both sets of policies, without grants and budgets. Pure. */
  judge(asked: AskedRequest): ComparedJudgements {
    return { before: this.judgeBy(this.before, asked), after: this.judgeBy(this.after, asked) };
  }

  /** The outcome of an evaluation. Equal outcomes are the same object. */
  outcome(asked: AskedRequest): ComparedOutcome {
    const { before, after } = this.judge(asked);
    const isMatched = after !== undefined && matchOf(after, this.draft.id) !== undefined;
    return outcomeOf(before?.action ?? 'unavailable', after?.action ?? 'unavailable', isMatched);
  }

  private judgeBy(snapshot: PolicySnapshot, { user, input, deviceStatus }: AskedRequest): Judgement | undefined {
    try {
      return judge(snapshot, user, input, this.options, deviceStatus);
    } catch (error) {
      if (error instanceof PolicyNotCompilableError) return undefined;
      throw error;
    }
  }
}

/** The match of the given policy; undefined if it did not match. */
export function matchOf({ matches }: Judgement, policyId: string): PolicyMatch | undefined {
  return matches.length === 0 ? undefined : matches.find(({ policy }) => policy.id === policyId);
}

const known = new Map<Outcome, Map<Outcome, [unmatched: ComparedOutcome, matched: ComparedOutcome]>>(
  OUTCOMES.map(before => [
    before,
    new Map(
      OUTCOMES.map(after => [
        after,
        [
          { before, after, isMatched: false },
          { before, after, isMatched: true },
        ],
      ]),
    ),
  ]),
);

/** Outcomes are shared objects: there are only about fifty different ones, but tens of thousands of references. */
function outcomeOf(before: Outcome, after: Outcome, isMatched: boolean): ComparedOutcome {
  return known.get(before)?.get(after)?.[isMatched ? 1 : 0] ?? { before, after, isMatched };
}
