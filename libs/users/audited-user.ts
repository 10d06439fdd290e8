import type { JsonObject } from '#core';
import type { User } from './user.entity.js';

/** The audit log's representation of a user. */
export function auditedUser(user: User): JsonObject {
  const { email, name, department, role, attributes } = user.profile();
  const { status, suspensionCauses, departureDate, departureReason, departureEndsMachineTokens } = user;
  return {
    ...{ email, name, department, role, status, suspension_causes: [...suspensionCauses], attributes },
    ...(departureDate === null ? {} : { departure_date: departureDate }),
    ...(departureReason === null ? {} : { departure_reason: departureReason }),
    ...(departureEndsMachineTokens ? { revoke_machine_tokens: true } : {}),
  };
}
