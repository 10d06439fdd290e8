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
 * What policies make of a request. `unavailable`: a policy that may concern it names an operator that is gone, so no
 * decision can be made.
 */
export const OUTCOMES = [...POLICY_ACTIONS, 'unavailable'] as const;

/** What policies make of a request. */
export type Outcome = (typeof OUTCOMES)[number];

/** What came out of one request, judged twice. */
export interface ComparedOutcome {
  /** By the policies as they are. */
  readonly before: Outcome;
  /** With the policy that is tried. */
  readonly after: Outcome;
  /** Whether that one itself matches. */
  readonly isMatched: boolean;
}

/** What is judged. */
export interface AskedRequest {
  /** Undefined where the directory does not know who asks. */
  readonly user: DirectoryUser | undefined;
  readonly input: DecisionInput;
  /** Undefined where the request names no device. */
  readonly deviceStatus?: DeviceStatus | undefined;
}

/** One request judged twice, in full; undefined where a judgement cannot be made. */
export interface ComparedJudgements {
  readonly before: Judgement | undefined;
  readonly after: Judgement | undefined;
}

/** Whether a request with this outcome may be made. */
export function isAllowed(outcome: Outcome): boolean {
  return outcome === 'allow' || outcome === 'alert';
}

/** An organization's policies as they are, and as they would be with a draft. Judges with the engine of decisions. */
export class Comparison {
  private readonly before: PolicySnapshot;
  private readonly after: PolicySnapshot;

  /**
   * @param present the enabled policies as they are
   * @param draft takes the place of the one with its id, or comes in addition; where it is disabled, it is not evaluated
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

  /** Judges one request by both. Grants and budgets are not asked. Pure. */
  judge(asked: AskedRequest): ComparedJudgements {
    return { before: this.judgeBy(this.before, asked), after: this.judgeBy(this.after, asked) };
  }

  /** What comes out of judging it. Equal ones are the same object. */
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

/** How a judgement took the policy, if it did. */
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

/** There are fifty of them, and tens of thousands may be held. */
function outcomeOf(before: Outcome, after: Outcome, isMatched: boolean): ComparedOutcome {
  return known.get(before)?.get(after)?.[isMatched ? 1 : 0] ?? { before, after, isMatched };
}
