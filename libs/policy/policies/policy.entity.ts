import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson } from '#core';
import { OrgRecord } from '#database';
import { VIOLATION_SEVERITY, type Conditions, type PolicyAction, type Severity } from '../decide/index.js';
import type { PolicyContent, PolicyDraft } from './policy-rules.js';

/** The last entry in the history of a deleted policy. */
export interface DeletedPolicy {
  readonly orgId: string;
  readonly policyId: string;
  readonly version: number;
  readonly policyCreatedAt: Date;
  readonly changedAt: Date;
}

/** A rule of an organization about who may use which model. */
@Entity({ tableName: 'policies', schema: 'governance' })
export class Policy extends OrgRecord {
  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text', nullable: true })
  description!: string | null;

  /** The model or pattern; null for all models. */
  @Property({ type: 'text', nullable: true })
  model!: string | null;

  @Property({ type: 'text' })
  action!: PolicyAction;

  /** Conditions as sent. jsonb keeps neither the order of keys nor the spelling of numbers. */
  @Property({ type: 'json' })
  conditions!: Conditions;

  @Property({ type: 'boolean' })
  enabled!: boolean;

  /** Severity of violations; null for the default severity of the action. */
  @Property({ type: 'text', nullable: true })
  severity!: Severity | null;

  /** 1 after the creation; increases by one with each change. */
  @Property({ type: 'integer' })
  version!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /**
   * Creates a policy. If the action raises violations, its default severity is stored. A later change of the action
   * then keeps this severity.
   */
  static create(orgId: string, id: string, draft: PolicyDraft, now: Date): Policy {
    const policy = new Policy();
    policy.orgId = orgId;
    policy.id = id;
    policy.name = draft.name;
    policy.description = draft.description ?? null;
    policy.model = draft.model ?? null;
    policy.action = draft.action;
    policy.conditions = draft.conditions ?? {};
    policy.enabled = draft.enabled ?? true;
    policy.severity = draft.severity ?? VIOLATION_SEVERITY[draft.action] ?? null;
    policy.version = 1;
    policy.createdAt = now;
    policy.updatedAt = now;
    return policy;
  }

  /** Recreates a deleted policy with its former id, an earlier content and the next version. */
  static revive(last: DeletedPolicy, content: PolicyContent, now: Date): Policy {
    const policy = Policy.create(last.orgId, last.policyId, content, last.policyCreatedAt);
    policy.severity = content.severity;
    policy.version = last.version + 1;
    policy.updatedAt = laterThan(last.changedAt, now);
    return policy;
  }

  /**
   * Changes the supplied fields. Returns whether anything changed. A change increments the version. It also advances
   * `updatedAt` by at least one millisecond, even if the clock did not advance or went back.
   */
  change(patch: Partial<PolicyDraft>, now: Date): boolean {
    const before = this.content();
    if (patch.name !== undefined) this.name = patch.name;
    if (patch.description !== undefined) this.description = patch.description;
    if (patch.model !== undefined) this.model = patch.model;
    if (patch.action !== undefined) this.action = patch.action;
    if (patch.conditions !== undefined) this.conditions = patch.conditions;
    if (patch.enabled !== undefined) this.enabled = patch.enabled;
    if (patch.severity !== undefined && patch.severity !== this.effectiveSeverity) this.severity = patch.severity;
    if (this.has(before)) return false;
    this.moveOn(now);
    return true;
  }

  /**
   * Replaces the whole content. Returns whether anything changed. Version and `updatedAt` change as in {@link change}.
   */
  restore(content: PolicyContent, now: Date): boolean {
    if (this.has(content)) return false;
    const { name, description, model, action, conditions, enabled, severity } = content;
    Object.assign(this, { name, description, model, action, conditions, enabled, severity });
    this.moveOn(now);
    return true;
  }

  /** The fields that can be edited, with the stored severity. */
  content(): PolicyContent {
    const { name, description, model, action, conditions, enabled, severity } = this;
    return { name, description, model, action, conditions, enabled, severity };
  }

  /** Severity of the policy's violations; null if its action raises none. */
  get effectiveSeverity(): Severity | null {
    return this.severity ?? VIOLATION_SEVERITY[this.action] ?? null;
  }

  private has(content: PolicyContent): boolean {
    return canonicalJson(this.content()) === canonicalJson(content);
  }

  private moveOn(now: Date): void {
    this.version += 1;
    this.updatedAt = laterThan(this.updatedAt, now);
  }
}

/** The current time, or one millisecond after the given time if that is later. */
export function laterThan(before: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), before.getTime() + 1));
}
