import { presenterOf } from '#access';
import type { JsonObject } from '#core';
import { PolicyResponseDto } from './policy.dto.js';
import type { Policy } from './policy.entity.js';

/** A policy as the API shows it. */
export const presentPolicy = presenterOf(PolicyResponseDto, (policy: Policy) => ({
  severity: policy.effectiveSeverity,
}));

/** A policy as the audit log records it. */
export function auditedPolicy(policy: Policy): JsonObject {
  // A policy consists of JSON values, so the type is correct. It contains no secrets.
  return presentPolicy(policy) as unknown as JsonObject;
}
