import type { JsonObject } from '#core';
import type { PolicyResponseDto } from './policy.dto.js';
import type { Policy } from './policy.entity.js';

/** A policy as the API shows it. */
export function presentPolicy(policy: Policy): PolicyResponseDto {
  return {
    id: policy.id,
    org_id: policy.orgId,
    name: policy.name,
    description: policy.description,
    model: policy.model,
    action: policy.action,
    conditions: policy.conditions,
    enabled: policy.enabled,
    severity: policy.effectiveSeverity,
    version: policy.version,
    created_at: policy.createdAt.toISOString(),
    updated_at: policy.updatedAt.toISOString(),
  };
}

/** A policy as the audit log records it. */
export function auditedPolicy(policy: Policy): JsonObject {
  // A policy consists of JSON values and has no secrets.
  return presentPolicy(policy) as unknown as JsonObject;
}
