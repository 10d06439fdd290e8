import type { DecisionSubject } from '../decide/index.js';
import type { Judgement } from '../decisions/judge.js';

/** Whom a grant is for: the person's id, or the e-mail address of people whom the directory does not know. */
export function granteeOf({ id, email }: DecisionSubject): string {
  return (id ?? email ?? '').toLowerCase();
}

/** One grant: until a time, a policy lets a person use a model. */
export interface Grant {
  readonly policyId: string;
  readonly userId: string;
  /** Exactly as it was asked for. */
  readonly model: string;
  readonly until: Date;
}

/** The grants of an organization, by policy, person and model. */
export class GrantIndex {
  private readonly ends = new Map<string, number>();

  constructor(grants: readonly Grant[]) {
    for (const { policyId, userId, model, until } of grants) {
      const key = approvalKey(policyId, userId, model);
      this.ends.set(key, Math.max(until.getTime(), this.ends.get(key) ?? 0));
    }
  }

  /** Whether a grant holds at a time; at its end it does not any more. */
  holds(policyId: string, userId: string, model: string, at: Date): boolean {
    return at.getTime() < (this.ends.get(approvalKey(policyId, userId, model)) ?? 0);
  }
}

/** What an approval is about, as one text. */
export function approvalKey(policyId: string, userId: string, model: string): string {
  // Names may hold anything, so no character could stand between them.
  return JSON.stringify([policyId, userId, model]);
}

/**
 * What is left of a judgement that asks for approval: each `require_approval` policy that matched needs a grant. Where
 * all have one, the request is allowed, with an alert if a policy wants one; otherwise it waits for the first that has
 * none. Pure.
 */
export function withGrants(judgement: Judgement, grants: GrantIndex, model: string, at: Date): Judgement {
  if (judgement.action !== 'require_approval') return judgement;
  const userId = granteeOf(judgement.subject);
  const asking = judgement.matches.filter(({ policy }) => policy.action === 'require_approval');
  // The default action of an organization asks for approval without a policy that could be granted.
  if (asking.length === 0) return judgement;
  const awaits = asking.find(({ policy }) => !grants.holds(policy.id, userId, model, at))?.policy;
  if (awaits) return { ...judgement, awaits };
  const isAlert = judgement.matches.some(({ policy }) => policy.action === 'alert');
  return { ...judgement, action: isAlert ? 'alert' : 'allow', reason: 'approval_granted' };
}
