import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { BadRequestError, Clock, newId } from '#core';
import { OrgDatabase } from '#database';
import { OperatorRegistry } from '../decide/index.js';
import { PolicyChronicle, type ChronicleEntry } from './policy-chronicle.js';
import type { PolicyVersion } from './policy-version.js';
import { draftFaults, type PolicyDraft } from './policy-rules.js';
import { laterThan, Policy } from './policy.entity.js';
import { POLICIES_MAX, PolicyNotFoundError, TooManyPoliciesError } from './policy.errors.js';
import { auditedPolicy } from './policy.presenter.js';

/**
 * Keeps the policies of an organization. Each change is one transaction with its version in the history, its audit entry
 * and its mark; when a method returns, decisions on this replica follow the change, and on every other within a second.
 */
@Injectable()
export class PolicyService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly chronicle: PolicyChronicle,
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
      const revision = await this.beginOneMore(em, actor.orgId);
      em.persist(policy);
      await this.enter(em, actor, policy, { change: 'created', revision, before: null });
    });
    await this.chronicle.settle(actor.orgId);
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
    const { policy, changed } = await this.following(actor, id, async (em, found) => {
      const policy = existing(found, id);
      const [before, previous] = [auditedPolicy(policy), policy.content()];
      const changed = policy.change(patch, this.clock.now());
      if (changed) {
        const revision = await this.chronicle.begin(em, actor.orgId);
        await this.enter(em, actor, policy, { change: 'updated', revision, previous, before });
      }
      return { policy, changed };
    });
    if (changed) await this.chronicle.settle(actor.orgId);
    return policy;
  }

  /**
   * Gives a policy the content of one of its versions, as a new version; a deleted policy is there again, under its own
   * id. Where nothing differs from the present, nothing happens. Follows other changes as {@link update}.
   * @throws PolicyVersionNotFoundError
   * @throws BadRequestError naming what cannot be evaluated any more, such as an operator that is gone
   * @throws TooManyPoliciesError where a deleted policy would be one too many
   */
  async restore(actor: Actor, id: string, version: number): Promise<Policy> {
    const { policy, changed } = await this.following(actor, id, async (em, present) => {
      const wanted = await this.chronicle.version(em, actor.orgId, id, version);
      return present ? this.turnBack(em, actor, present, wanted) : this.revive(em, actor, wanted);
    });
    if (changed) await this.chronicle.settle(actor.orgId);
    return policy;
  }

  /** Takes a policy out of force and out of the lists; its history stays. @throws PolicyNotFoundError */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.following(actor, id, async (em, found) => {
      const policy = existing(found, id);
      em.remove(policy);
      const revision = await this.chronicle.begin(em, actor.orgId);
      const before = auditedPolicy(policy);
      const changedAt = laterThan(policy.updatedAt, this.clock.now());
      const entry = { version: policy.version + 1, changedAt, revision, before, after: null };
      await this.chronicle.enter(em, actor, { ...factsOf(policy), ...entry, change: 'deleted' });
    });
    await this.chronicle.settle(actor.orgId);
  }

  private async turnBack(em: EntityManager, actor: Actor, policy: Policy, wanted: PolicyVersion): Promise<Outcome> {
    const [before, previous] = [auditedPolicy(policy), policy.content()];
    const changed = policy.restore(wanted.content, this.clock.now());
    if (changed) {
      this.checkAgain(wanted);
      const revision = await this.chronicle.begin(em, actor.orgId);
      const entry = { restoredVersion: wanted.version, revision, previous, before };
      await this.enter(em, actor, policy, { change: 'restored', ...entry });
    }
    return { policy, changed };
  }

  private async revive(em: EntityManager, actor: Actor, wanted: PolicyVersion): Promise<Outcome> {
    this.checkAgain(wanted);
    const last = (await this.chronicle.newest(em, actor.orgId, wanted.policyId)) ?? wanted;
    const revision = await this.beginOneMore(em, actor.orgId);
    const policy = Policy.revive(last, wanted.content, this.clock.now());
    em.persist(policy);
    const entry = { restoredVersion: wanted.version, revision, previous: last.content, before: null };
    await this.enter(em, actor, policy, { change: 'restored', ...entry });
    return { policy, changed: true };
  }

  private enter(em: EntityManager, actor: Actor, policy: Policy, entry: Change): Promise<void> {
    return this.chronicle.enter(em, actor, { ...factsOf(policy), after: auditedPolicy(policy), ...entry });
  }

  private checkAgain({ version, content }: PolicyVersion): void {
    this.check(content, `version ${version} cannot be restored: `);
  }

  private check(draft: Partial<PolicyDraft>, because = ''): void {
    const faults = draftFaults(draft, this.operators);
    if (faults.length === 0) return;
    throw BadRequestError.fields(faults, because);
  }

  /** A transaction in which nobody else changes the policy. */
  private following<T>(
    { orgId }: Actor,
    id: string,
    change: (em: EntityManager, policy: Policy | null) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(orgId, async em => {
      await this.chronicle.follow(em, orgId, id);
      return change(em, await em.findOne(Policy, { orgId, id }));
    });
  }

  /** Begins a change that makes one policy more. @throws TooManyPoliciesError */
  private async beginOneMore(em: EntityManager, orgId: string): Promise<number> {
    // Whoever makes another one waits here, so the count is exact.
    const revision = await this.chronicle.begin(em, orgId);
    if ((await em.count(Policy, { orgId })) >= POLICIES_MAX) throw new TooManyPoliciesError();
    return revision;
  }
}

/** The policy as it is now, and whether it was changed. */
interface Outcome {
  policy: Policy;
  changed: boolean;
}

type Facts = Pick<ChronicleEntry, 'policyId' | 'version' | 'content' | 'policyCreatedAt' | 'changedAt'>;
type Change = Omit<ChronicleEntry, keyof Facts | 'after'>;

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
