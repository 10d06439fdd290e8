import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId, type JsonObject } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { OperatorRegistry } from '../decide/index.js';
import { POLICIES_TOPIC } from '../policy.topic.js';
import { draftFaults, type PolicyDraft } from './policy-rules.js';
import { Policy } from './policy.entity.js';
import { POLICIES_MAX, PolicyNotFoundError, TooManyPoliciesError } from './policy.errors.js';
import { auditedPolicy } from './policy.presenter.js';

/**
 * Keeps the policies of an organization. Each change is one transaction with its audit entry and its mark; when a
 * method returns, decisions on this replica follow the change, and on every other within a second.
 */
@Injectable()
export class PolicyService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly operators: OperatorRegistry,
  ) {}

  /**
   * @throws BadRequestError naming every field at fault
   * @throws TooManyPoliciesError where the organization has 10,000 already
   */
  async create(actor: Actor, draft: PolicyDraft): Promise<Policy> {
    this.check(draft);
    const now = this.clock.now();
    const policy = Policy.create(actor.orgId, newId(now), draft, now);
    await this.database.transaction(actor.orgId, async em => {
      // The mark's row lock makes creations wait for one another, so the count below is exact.
      await this.changes.mark(em, actor.orgId, POLICIES_TOPIC);
      if ((await em.count(Policy, { orgId: actor.orgId })) >= POLICIES_MAX) throw new TooManyPoliciesError();
      em.persist(policy);
      await this.remember(em, actor, 'created', policy.id, null, auditedPolicy(policy));
    });
    await this.changes.refresh(actor.orgId);
    return policy;
  }

  /** @throws PolicyNotFoundError */
  async get(orgId: string, id: string): Promise<Policy> {
    return this.database.transaction(orgId, async em => existing(await em.findOne(Policy, { orgId, id }), id));
  }

  /**
   * Changes the supplied fields only. Where nothing differs, nothing happens: no version, no audit entry. Changes that
   * come at the same time follow each other.
   * @throws PolicyNotFoundError
   * @throws BadRequestError naming every field at fault
   */
  async update(actor: Actor, id: string, patch: Partial<PolicyDraft>): Promise<Policy> {
    this.check(patch);
    const { orgId } = actor;
    const { policy, changed } = await this.database.transaction(orgId, async em => {
      const policy = await this.locked(em, orgId, id);
      const before = auditedPolicy(policy);
      const changed = policy.change(patch, this.clock.now());
      if (changed) {
        await this.changes.mark(em, orgId, POLICIES_TOPIC);
        await this.remember(em, actor, 'updated', id, before, auditedPolicy(policy));
      }
      return { policy, changed };
    });
    if (changed) await this.changes.refresh(actor.orgId);
    return policy;
  }

  /** Deletes for good. @throws PolicyNotFoundError */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(actor.orgId, async em => {
      const policy = await this.locked(em, actor.orgId, id);
      em.remove(policy);
      await this.changes.mark(em, actor.orgId, POLICIES_TOPIC);
      await this.remember(em, actor, 'deleted', id, auditedPolicy(policy), null);
    });
    await this.changes.refresh(actor.orgId);
  }

  private check(draft: Partial<PolicyDraft>): void {
    const faults = draftFaults(draft, this.operators);
    if (faults.length === 0) return;
    throw new BadRequestError(faults.map(({ field, message }) => `${field}: ${message}`).join('; '), faults);
  }

  private async locked(em: EntityManager, orgId: string, id: string): Promise<Policy> {
    return existing(await em.findOne(Policy, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE }), id);
  }

  private async remember(
    em: EntityManager,
    actor: Actor,
    verb: 'created' | 'updated' | 'deleted',
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    await this.audit.append(em, actor, { action: `policy.${verb}`, resourceType: 'policy', resourceId, before, after });
  }
}

function existing(policy: Policy | null, id: string): Policy {
  if (!policy) throw new PolicyNotFoundError(id);
  return policy;
}
