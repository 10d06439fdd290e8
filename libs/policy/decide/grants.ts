import type { DecisionSubject } from './attributes.js';

/** The person of a grant: their id, or their e-mail address if the directory does not know them. */
export function granteeOf({ id, email }: DecisionSubject): string {
  return (id ?? email ?? '').toLowerCase();
}

/** One grant: until a time, a policy lets a person use a model. */
export interface Grant {
  readonly policyId: string;
  readonly userId: string;
  /** The model, exactly as requested. */
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

  /** Whether a grant is valid at a time; its end is exclusive. */
  holds(policyId: string, userId: string, model: string, at: Date): boolean {
    return at.getTime() < (this.ends.get(approvalKey(policyId, userId, model)) ?? 0);
  }
}

/** The key of an approval: policy, user and model as one text. */
export function approvalKey(policyId: string, userId: string, model: string): string {
  // Names may contain any character, so a separator would be ambiguous.
  return JSON.stringify([policyId, userId, model]);
}
