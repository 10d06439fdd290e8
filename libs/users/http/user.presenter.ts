import type { User } from '../user.entity.js';
import type { UserResponseDto } from './user.dto.js';

/** A user as the API shows it. */
export function presentUser(user: User): UserResponseDto {
  return {
    id: user.id,
    org_id: user.orgId,
    email: user.email,
    name: user.name,
    department: user.department,
    role: user.role,
    status: user.status,
    suspension_causes: [...user.suspensionCauses],
    suspended_at: user.suspendedAt?.toISOString() ?? null,
    departure_date: user.departureDate,
    departs_at: user.departsAt?.toISOString() ?? null,
    departure_reason: user.departureReason,
    attributes: user.attributes,
    last_active_at: user.lastActiveAt?.toISOString() ?? null,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
  };
}
