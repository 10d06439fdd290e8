import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import type { JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { OperatorRegistry, type Conditions } from '../decide/index.js';
import { readPolicyBody } from './policy-body.js';
import { CreatePolicyDto } from './policy.dto.js';
import { Policy } from './policy.entity.js';
import { PolicyService } from './policy.service.js';

const NEW = { id: '', orgId: '', at: new Date(0) };

/** Policies in configuration files. */
@Injectable()
export class PolicyConfiguration extends ConfigurationKind {
  override readonly kind = 'policies';
  override readonly rank = 30;
  override readonly reads = ['policies:read'] as const;
  override readonly writes = 'policies:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly policies: PolicyService,
    private readonly operators: OperatorRegistry,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const policies = await this.database.snapshot(orgId, em => em.find(Policy, { orgId }));
    return policies.map(policy => ({ id: policy.id, name: policy.name, fields: fieldsOf(policy) }));
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const policy = Policy.create(NEW.orgId, NEW.id, readPolicyBody(CreatePolicyDto, entry, this.operators), NEW.at);
    return { name: policy.name, fields: fieldsOf(policy) };
  }

  override async create(actor: Actor, { fields }: WantedObject): Promise<undefined> {
    await this.policies.create(actor, readPolicyBody(CreatePolicyDto, fields, this.operators));
  }

  override async update(actor: Actor, id: string, { fields }: WantedObject): Promise<void> {
    await this.policies.update(actor, id, readPolicyBody(CreatePolicyDto, fields, this.operators));
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.policies.delete(actor, id);
  }
}

function fieldsOf(policy: Policy): JsonObject {
  const { name, description, model, action, conditions, enabled, effectiveSeverity: severity } = policy;
  return { name, description, action, model, conditions: jsonOf(conditions), enabled, severity };
}

/** Conditions are JSON; their type is only narrower. */
function jsonOf(conditions: Conditions): JsonObject {
  return conditions as JsonObject;
}
