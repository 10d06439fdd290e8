import { Inject, Injectable } from '@nestjs/common';
import { BadRequestError, Clock, newId, type FieldError } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { OperatorRegistry, validateConditions } from '../decide/index.js';
import { enabledPolicies } from '../policies/policy-snapshots.js';
import { draftFaults, type PolicyDraft } from '../policies/policy-rules.js';
import { Policy } from '../policies/policy.entity.js';
import { PolicyNotFoundError } from '../policies/policy.errors.js';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import { Comparison } from './comparison.js';

/** A draft to simulate. */
export interface PolicyProposal {
  /**
   * The fields that differ from the stored policy, or a complete policy. If the draft is disabled, the stored policy is
   * removed.
   */
  readonly draft: Partial<PolicyDraft>;
  /** The stored policy that the draft replaces. If undefined, the draft is added. */
  readonly policyId?: string | undefined;
}

/** Field of the request that contains the draft. */
const FIELD = 'policy';
const REQUIRED = ['name', 'action'] as const;

/** Combines drafts with the stored policies of an organization. */
@Injectable()
export class PolicyProposals {
  constructor(
    private readonly database: OrgDatabase,
    private readonly operators: OperatorRegistry,
    private readonly clock: Clock,
    @Inject(POLICY_OPTIONS) private readonly options: PolicyOptions,
  ) {}

  /** @throws BadRequestError naming every invalid field, as `policy.<field>` */
  check({ draft, policyId }: PolicyProposal): void {
    const missing = policyId === undefined ? REQUIRED.filter(field => draft[field] === undefined) : [];
    refuse([...missing.map(field => ({ field, message: 'is required' })), ...draftFaults(draft, this.operators)]);
  }

  /**
   * Compiles the organization's policies with and without a draft, which must have been checked.
   * @throws PolicyNotFoundError
   * @throws BadRequestError if the resulting policy uses an operator that is no longer installed
   */
  async compare(orgId: string, { draft, policyId }: PolicyProposal): Promise<Comparison> {
    const { present, stored } = await this.database.snapshot(orgId, async em => ({
      present: await enabledPolicies(sqlOf(em), orgId),
      stored: policyId === undefined ? null : await em.findOne(Policy, { orgId, id: policyId }),
    }));
    const proposed = this.proposed(orgId, stored, { draft, policyId });
    if (proposed.enabled) refuse(validateConditions(proposed.conditions, this.operators));
    const compile = { operators: this.operators, defaultAction: this.options.defaultAction ?? 'allow' };
    return new Comparison(present, proposed, compile, this.options);
  }

  /** The transaction that read the stored policy has ended, so changes of this entity are not written. */
  private proposed(orgId: string, stored: Policy | null, { draft, policyId }: PolicyProposal): Policy {
    const now = this.clock.now();
    if (policyId === undefined) {
      const { name = '', action = 'allow', ...rest } = draft;
      return Policy.create(orgId, newId(now), { ...rest, name, action }, now);
    }
    if (!stored) throw new PolicyNotFoundError(policyId);
    stored.change(draft, now);
    return stored;
  }
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length === 0) return;
  const named = faults.map(({ field, message }) => ({ field: `${FIELD}.${field}`, message }));
  throw BadRequestError.fields(named);
}
