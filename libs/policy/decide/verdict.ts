import type { PolicyAction } from './action.js';
import type { DecisionRequest, DecisionSubject } from './attributes.js';
import type { CompiledPolicies } from './compile.js';
import { PolicyMatch, PolicyViolation } from './policy-match.js';
import type { PositionSet } from './position-set.js';
import { ranksInOrder } from './rank-order.js';

/**
 * Number of matching positions that are computed together with the action. If there are more, the list is completed on
 * first use.
 */
const HEAD = 8;

const NONE: readonly PolicyViolation[] = Object.freeze([]);

/**
 * The result of the policies for one request, without grants, budgets and suspensions. The action is computed at once.
 * The lists are computed on first use from the subject and the request. Do not change either before that.
 */
export class Verdict {
  readonly action: PolicyAction;
  readonly reason: 'policy' | 'no_policy_matched';
  private readonly head: number[];
  private matchList: readonly PolicyMatch[] | undefined = undefined;
  private violationList: readonly PolicyViolation[] = NONE;

  constructor(
    private readonly compiled: CompiledPolicies,
    private readonly sets: readonly PositionSet[],
    private readonly subject: DecisionSubject,
    private readonly request: DecisionRequest,
  ) {
    const { index, ranked, defaultAction } = compiled;
    this.head = index.space.intersect(sets, HEAD);
    const position = this.head[0];
    const best = position === undefined ? undefined : ranked[index.rankAt[position] ?? position];
    const winner = best?.residual ? this.matches[0] : best;
    this.action = winner ? winner.policy.action : defaultAction;
    this.reason = winner ? 'policy' : 'no_policy_matched';
  }

  /** Every enabled policy that matches: by precedence, then age, then id. The first match determines the action. */
  get matches(): readonly PolicyMatch[] {
    return this.matchList ?? this.list();
  }

  /** The matches of `block` and `alert` policies, in the same order. */
  get violations(): readonly PolicyViolation[] {
    if (!this.matchList) this.list();
    return this.violationList;
  }

  private list(): readonly PolicyMatch[] {
    const { compiled, subject, request } = this;
    const { index, ranked } = compiled;
    const complete = this.head.length < HEAD;
    const ranks = ranksInOrder(complete ? this.head : index.space.intersect(this.sets), index.rankAt);
    const matches: PolicyMatch[] = [];
    const violations: PolicyViolation[] = [];
    for (const rank of ranks) {
      const entry = ranked[rank];
      if (!entry || (entry.residual && !entry.residual(subject, request))) continue;
      const { policy, violation: severity } = entry;
      if (severity) {
        const violation = new PolicyViolation(policy, subject, request, severity);
        violations.push(violation);
        matches.push(violation);
      } else {
        matches.push(new PolicyMatch(policy, subject, request));
      }
    }
    this.violationList = violations;
    return (this.matchList = matches);
  }
}
