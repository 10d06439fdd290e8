import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import { BadRequestError, UserDirectory, type JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { limitDraftFaults, type LimitDraft } from '../limits/limit-rules.js';
import { CreateLimitDto, limitDraftOf } from '../limits/limit.dto.js';
import { Limit } from '../limits/limit.entity.js';
import { LimitService } from '../limits/limit.service.js';
import { namesOf, scopeFields, userIdsIn, withUserIds, type NameOf } from './user-names.js';

/** Limits in configuration files. */
@Injectable()
export class LimitConfiguration extends ConfigurationKind {
  override readonly kind = 'limits';
  override readonly rank = 50;
  override readonly reads = ['budgets:read', 'users:read'] as const;
  override readonly writes = 'budgets:write';
  override readonly fixed = ['scope', 'department', 'user', 'model', 'split_by'];

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly limits: LimitService,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const limits = await this.database.snapshot(orgId, em => em.find(Limit, { orgId }));
    const nameOf = await namesOf(this.users, orgId, userIdsIn(limits));
    return limits.map(limit => ({ id: limit.id, name: limit.name, fields: fieldsOf(limit, nameOf) }));
  }

  override async read(orgId: string, entry: unknown): Promise<WantedObject> {
    const draft = await this.draft(orgId, entry);
    const faults = limitDraftFaults(draft);
    if (faults.length > 0) throw BadRequestError.fields(faults);
    const limit = Limit.create(orgId, '', draft, new Date(0));
    const nameOf = await namesOf(this.users, orgId, userIdsIn([limit]));
    return { name: limit.name, fields: fieldsOf(limit, nameOf) };
  }

  override async create(actor: Actor, { fields }: WantedObject): Promise<undefined> {
    await this.limits.create(actor, await this.draft(actor.orgId, fields));
  }

  override async update(actor: Actor, id: string, { fields }: WantedObject): Promise<void> {
    const { name, requestsPerMinute, tokensPerMinute, concurrentRequests } = await this.draft(actor.orgId, fields);
    await this.limits.update(actor, id, {
      name,
      requestsPerMinute: requestsPerMinute ?? null,
      tokensPerMinute: tokensPerMinute ?? null,
      concurrentRequests: concurrentRequests ?? null,
    });
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.limits.delete(actor, id);
  }

  private async draft(orgId: string, entry: unknown): Promise<LimitDraft> {
    return limitDraftOf(readInput(CreateLimitDto, await withUserIds(this.users, orgId, entry), 'body'));
  }
}

function fieldsOf(limit: Limit, nameOf: NameOf): JsonObject {
  const { name, splitBy, requestsPerMinute, tokensPerMinute, concurrentRequests } = limit;
  return {
    name,
    ...scopeFields(limit, nameOf),
    split_by: splitBy,
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
    concurrent_requests: concurrentRequests,
  };
}
