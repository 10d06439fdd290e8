import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { BadRequestError, Clock, newId } from '#core';
import { OrgDatabase } from '#database';
import { OperatorRegistry } from '../decide/index.js';
import { PolicyHistoryStore, type PolicyHistoryEntry } from './policy-history-store.js';
import type { PolicyVersion } from './policy-version.js';
import { draftFaults, type PolicyDraft } from './policy-rules.js';
import { laterThan, Policy } from './policy.entity.js';
import { POLICIES_MAX, PolicyNotFoundError, TooManyPoliciesError } from './policy.errors.js';
import { auditedPolicy } from './policy.presenter.js';

/**
 * Creates, changes, restores and deletes policies. Each change is one transaction with its history entry, its audit
 * entry and the new version in the change feed. When the method returns, decisions on this replica use the change; on
 * all other replicas, they use it within a second.
 */
@Injectable()
export class PolicyService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly history: PolicyHistoryStore,
    private readonly clock: Clock,
    private readonly operators: OperatorRegistry,
  ) {}

  /**
   * @throws BadRequestError naming every invalid field
   * @throws TooManyPoliciesError if the organization already has 10,000 policies
   */
  async create(actor: Actor, draft: PolicyDraft): Promise<Policy> {
    this.check(draft);
    const now = this.clock.now();
    const policy = Policy.create(actor.orgId, newId(now), draft, now);
    await this.database.transaction(actor.orgId, async em => {
      const revision = await this.beginOneMore(em, actor.orgId);
      em.persist(policy);
      await this.enter(em, actor, policy, { change: 'created', revision, before: null });
    });
    await this.history.settle(actor.orgId);
    return policy;
  }

  /** @throws PolicyNotFoundError */
  async get(orgId: string, id: string): Promise<Policy> {
    return this.database.transaction(orgId, async em => existing(await em.findOne(Policy, { orgId, id }), id));
  }

  /**
   * Changes the supplied fields only. If nothing differs, no version and no audit entry is written. Concurrent changes
   * are serialized.
   * @throws PolicyNotFoundError
   * @throws BadRequestError naming every invalid field
   */
  async update(actor: Actor, id: string, patch: Partial<PolicyDraft>): Promise<Policy> {
    this.check(patch);
    const { policy, changed } = await this.following(actor, id, async (em, found) => {
      const policy = existing(found, id);
      const [before, previous] = [auditedPolicy(policy), policy.content()];
      const changed = policy.change(patch, this.clock.now());
      if (changed) {
        const revision = await this.history.begin(em, actor.orgId);
        await this.enter(em, actor, policy, { change: 'updated', revision, previous, before });
      }
      return { policy, changed };
    });
    if (changed) await this.history.settle(actor.orgId);
    return policy;
  }

  /**
   * Restores the content of a version as a new version. A deleted policy is recreated with its former id. If the
   * content equals the current content, nothing changes. Serialized with other changes, as in {@link update}.
   * @throws PolicyVersionNotFoundError
   * @throws BadRequestError naming the conditions that can no longer be evaluated, for example because an operator was
   * removed
   * @throws TooManyPoliciesError if the recreated policy would exceed the maximum
   */
  async restore(actor: Actor, id: string, version: number): Promise<Policy> {
    const { policy, changed } = await this.following(actor, id, async (em, present) => {
      const wanted = await this.history.version(em, actor.orgId, id, version);
      return present ? this.turnBack(em, actor, present, wanted) : this.revive(em, actor, wanted);
    });
    if (changed) await this.history.settle(actor.orgId);
    return policy;
  }

  /**
   * Deletes a policy. Its history is kept.
   * @throws PolicyNotFoundError
   */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.following(actor, id, async (em, found) => {
      const policy = existing(found, id);
      em.remove(policy);
      const revision = await this.history.begin(em, actor.orgId);
      const before = auditedPolicy(policy);
      const changedAt = laterThan(policy.updatedAt, this.clock.now());
      const entry = { version: policy.version + 1, changedAt, revision, before, after: null };
      await this.history.enter(em, actor, { ...factsOf(policy), ...entry, change: 'deleted' });
    });
    await this.history.settle(actor.orgId);
  }

  private async turnBack(em: EntityManager, actor: Actor, policy: Policy, wanted: PolicyVersion): Promise<Outcome> {
    const [before, previous] = [auditedPolicy(policy), policy.content()];
    const changed = policy.restore(wanted.content, this.clock.now());
    if (changed) {
      this.checkAgain(wanted);
      const revision = await this.history.begin(em, actor.orgId);
      const entry = { restoredVersion: wanted.version, revision, previous, before };
      await this.enter(em, actor, policy, { change: 'restored', ...entry });
    }
    return { policy, changed };
  }

  private async revive(em: EntityManager, actor: Actor, wanted: PolicyVersion): Promise<Outcome> {
    this.checkAgain(wanted);
    const last = (await this.history.newest(em, actor.orgId, wanted.policyId)) ?? wanted;
    const revision = await this.beginOneMore(em, actor.orgId);
    const policy = Policy.revive(last, wanted.content, this.clock.now());
    em.persist(policy);
    const entry = { restoredVersion: wanted.version, revision, previous: last.content, before: null };
    await this.enter(em, actor, policy, { change: 'restored', ...entry });
    return { policy, changed: true };
  }

  private enter(em: EntityManager, actor: Actor, policy: Policy, entry: Change): Promise<void> {
    return this.history.enter(em, actor, { ...factsOf(policy), after: auditedPolicy(policy), ...entry });
  }

  private checkAgain({ version, content }: PolicyVersion): void {
    this.check(content, `version ${version} cannot be restored: `);
  }

  private check(draft: Partial<PolicyDraft>, because = ''): void {
    const faults = draftFaults(draft, this.operators);
    if (faults.length === 0) return;
    throw BadRequestError.fields(faults, because);
  }

  /** Runs a transaction that has locked the policy. */
  private following<T>(
    { orgId }: Actor,
    id: string,
    change: (em: EntityManager, policy: Policy | null) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(orgId, async em => {
      await this.history.follow(em, orgId, id);
      return change(em, await em.findOne(Policy, { orgId, id }));
    });
  }

  /**
   * Starts a change that adds a policy.
   * @throws TooManyPoliciesError
   */
  private async beginOneMore(em: EntityManager, orgId: string): Promise<number> {
    // Concurrent creations wait for the lock of the version, so the count is exact.
    const revision = await this.history.begin(em, orgId);
    if ((await em.count(Policy, { orgId })) >= POLICIES_MAX) throw new TooManyPoliciesError();
    return revision;
  }
}

/** The policy after the change, and whether it changed. */
interface Outcome {
  policy: Policy;
  changed: boolean;
}

type Facts = Pick<PolicyHistoryEntry, 'policyId' | 'version' | 'content' | 'policyCreatedAt' | 'changedAt'>;
type Change = Omit<PolicyHistoryEntry, keyof Facts | 'after'>;

function factsOf(policy: Policy): Facts {
  return {
    policyId: policy.id,
    version: policy.version,
    content: policy.content(),
    policyCreatedAt: policy.createdAt,
    changedAt: policy.updatedAt,
  };
}

function existing(policy: Policy | null, id: string): Policy {
  if (!policy) throw new PolicyNotFoundError(id);
  return policy;
}
