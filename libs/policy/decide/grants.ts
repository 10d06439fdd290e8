import type { DecisionSubject } from './attributes.js';

/** The person of a grant: the id, or the e-mail address if the directory does not know the person. */
export function granteeOf({ id, email }: DecisionSubject): string {
  return (id ?? email ?? '').toLowerCase();
}

/** A grant: a policy lets a person use a model until a given time. */
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

  /** Whether a grant is valid at the given time. The end is exclusive. */
  holds(policyId: string, userId: string, model: string, at: Date): boolean {
    return at.getTime() < (this.ends.get(approvalKey(policyId, userId, model)) ?? 0);
  }
}

/** The key of an approval: policy, user and model as one text. */
export function approvalKey(policyId: string, userId: string, model: string): string {
  // Encodes the parts as JSON, because they may contain any character that could serve as a separator.
  return JSON.stringify([policyId, userId, model]);
}
