import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId, type FieldError, type JsonObject } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { KnownSubjects } from '../scopes/index.js';
import { Limit } from './limit.entity.js';
import { LimitNotFoundError, LIMITS_MAX, nothingLimited, TooManyLimitsError } from './limit.errors.js';
import { fixedLimitFaults, limitDraftFaults, nameFault, numberFaults, type LimitDraft } from './limit-rules.js';
import { LIMITS_TOPIC } from './organization-limits.js';

/** Changes of a limit. Scope and split cannot change; their current values are accepted. */
export type LimitPatch = Partial<LimitDraft>;

const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance.limits:' || $1, 0))::text`;

/**
 * Manages the limits of an organization. When the call returns, decisions on this replica use the change. Other
 * replicas use it within a second.
 */
@Injectable()
export class LimitService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly subjects: KnownSubjects,
  ) {}

  /**
   * Creates a limit. It counts only requests after its creation.
   * @throws BadRequestError naming every invalid field
   * @throws TooManyLimitsError if the organization has 10,000 limits
   */
  async create(actor: Actor, draft: LimitDraft): Promise<Limit> {
    refuse(limitDraftFaults(draft));
    await this.subjects.requireScope(actor.orgId, draft);
    return this.change(actor.orgId, em => this.createWithin(em, actor, draft));
  }

  /**
   * Creates a limit in the caller's transaction. The caller knows that the user of the draft exists, and refreshes the
   * change feed after the commit.
   * @throws BadRequestError naming every invalid field
   * @throws TooManyLimitsError if the organization has 10,000 limits
   */
  async createWithin(em: EntityManager, actor: Actor, draft: LimitDraft): Promise<Limit> {
    refuse(limitDraftFaults(draft));
    const { orgId } = actor;
    await sqlOf(em).query(LOCK, [orgId]);
    if ((await em.count(Limit, { orgId })) >= LIMITS_MAX) throw new TooManyLimitsError();
    const now = this.clock.now();
    const limit = Limit.create(orgId, newId(now), draft, now);
    await em.persist(limit).flush();
    return this.remember(em, actor, 'created', { limit, before: null, after: limit.audited() });
  }

  /** @throws LimitNotFoundError */
  async get(orgId: string, id: string): Promise<Limit> {
    return this.database.transaction(orgId, em => existing(em, orgId, id));
  }

  /**
   * Changes the supplied name and numbers.
   * @throws LimitNotFoundError
   * @throws BadRequestError naming every invalid field, also for another scope or split, and if no number would remain
   */
  async update(actor: Actor, id: string, patch: LimitPatch): Promise<Limit> {
    const fault = patch.name === undefined ? undefined : nameFault(patch.name);
    refuse([...(fault === undefined ? [] : [{ field: 'name', message: fault }]), ...numberFaults(patch)]);
    return this.change(actor.orgId, async em => {
      const limit = await existing(em, actor.orgId, id);
      refuse(fixedLimitFaults(limit, patch));
      const before = limit.audited();
      limit.change(patch, this.clock.now());
      if (!limit.isLimiting) throw nothingLimited();
      await em.flush();
      return this.remember(em, actor, 'updated', { limit, before, after: limit.audited() });
    });
  }

  /** @throws LimitNotFoundError */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.change(actor.orgId, async em => {
      const limit = await existing(em, actor.orgId, id);
      await em.remove(limit).flush();
      return this.remember(em, actor, 'deleted', { limit, before: limit.audited(), after: null });
    });
  }

  private async change(orgId: string, work: (em: EntityManager) => Promise<Limit>): Promise<Limit> {
    const limit = await this.database.transaction(orgId, work);
    await this.changes.refresh(orgId);
    return limit;
  }

  private async remember(
    em: EntityManager,
    actor: Actor,
    verb: 'created' | 'updated' | 'deleted',
    { limit, before, after }: { limit: Limit; before: JsonObject | null; after: JsonObject | null },
  ): Promise<Limit> {
    await this.changes.mark(em, actor.orgId, LIMITS_TOPIC);
    const entry = { action: `limit.${verb}`, resourceType: 'limit', resourceId: limit.id, before, after };
    await this.audit.append(em, actor, entry);
    return limit;
  }
}

async function existing(em: EntityManager, orgId: string, id: string): Promise<Limit> {
  const limit = await em.findOne(Limit, { orgId, id });
  if (!limit) throw new LimitNotFoundError(id);
  return limit;
}

function refuse(faults: FieldError[]): void {
  if (faults.length > 0) throw BadRequestError.fields(faults);
}
