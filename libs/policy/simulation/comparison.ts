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
 * The action for a request. `unavailable`: no decision, because a policy that may concern it names an operator that
 * is no longer installed.
 */
export const OUTCOMES = [...POLICY_ACTIONS, 'unavailable'] as const;

/** The outcome of policies for a request. */
export type Outcome = (typeof OUTCOMES)[number];

/** The two outcomes of one request. */
export interface ComparedOutcome {
  /** With the current policies. */
  readonly before: Outcome;
  /** With the draft. */
  readonly after: Outcome;
  /** Whether the draft matches. */
  readonly isMatched: boolean;
}

/** The input of an evaluation. */
export interface AskedRequest {
  /** Undefined if the directory does not know the person. */
  readonly user: DirectoryUser | undefined;
  readonly input: DecisionInput;
  /** Undefined if the request names no device. */
  readonly deviceStatus?: DeviceStatus | undefined;
}

/** The two full evaluations of one request; undefined if one cannot be made. */
export interface ComparedJudgements {
  readonly before: Judgement | undefined;
  readonly after: Judgement | undefined;
}

/** Whether this outcome allows the request. */
export function isAllowed(outcome: Outcome): boolean {
  return outcome === 'allow' || outcome === 'alert';
}

/** An organization's current policies, and the same policies with a draft. Uses the engine of real decisions. */
export class Comparison {
  private readonly before: PolicySnapshot;
  private readonly after: PolicySnapshot;

  /**
   * @param present the current enabled policies @param draft replaces the policy with its id, or is added; a disabled
   *   draft is not evaluated
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

  /** Evaluates one request with both sets, without grants and budgets. Pure. */
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

/** How the policy matched, if it did. */
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

/** There are about fifty outcomes, but tens of thousands of references, so outcomes are shared. */
function outcomeOf(before: Outcome, after: Outcome, isMatched: boolean): ComparedOutcome {
  return known.get(before)?.get(after)?.[isMatched ? 1 : 0] ?? { before, after, isMatched };
}
