import { ApiSchema } from '@nestjs/swagger';
import { PageQueryDto, UuidField, f, dtoOf } from '#access';
import type { ReservationRow } from './reservation-list.service.js';

/** Which reservations to list. */
export class ReservationQueryDto extends PageQueryDto {
  @UuidField({
    optional: true,
    description: 'Only reservations in this budget.',
    example: '0199c2a8-8a10-7e55-b6f7-3d20c94e7a18',
  })
  budget_id?: string;
}

/** A budget window that holds money. */
@ApiSchema({ name: 'GovernanceReservedWindowDto' })
class ReservedWindowDto extends dtoOf({
  budget_id: f.uuid('0199c2a8-8a10-7e55-b6f7-3d20c94e7a18'),
  window_start: f.instant('2026-10-31T23:00:00.000Z', 'First instant of the window.'),
}) {}

/** An extended reservation. */
@ApiSchema({ name: 'GovernanceExtendedReservationDto' })
export class ExtendedReservationDto extends dtoOf({
  decision_id: f.uuid('0199c2a8-b204-7d9a-8f61-e7035a4c2b98'),
  expires_at: f.instant(
    '2026-11-20T13:30:00.000Z',
    'Time at which the reservation expires, unless usage is reported or it is extended again.',
  ),
}) {}

/** Money that is reserved for a decision until its usage is reported. */
@ApiSchema({ name: 'GovernanceReservationResponseDto' })
export class ReservationResponseDto extends dtoOf({
  decision_id: f.uuid('0199c2a8-b204-7d9a-8f61-e7035a4c2b98'),
  amount_usd: f.decimal(0.0125, 'US dollars, in each of the windows.', { minimum: 0 }),
  budgets: f.listOf(ReservedWindowDto, 'The budget windows in which the money is reserved.'),
  user_id: f.text('0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4', 'The user who made the request.'),
  provider: f.text('openai'),
  model: f.text('gpt-4o'),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  expires_at: f.instant('2026-11-20T13:15:00.000Z', 'Time at which the reservation expires, unless usage is reported.'),
}) {}

/** A reservation as the API shows it. */
export function presentReservation(row: ReservationRow): ReservationResponseDto {
  return {
    decision_id: row.id,
    amount_usd: Number(row.amount_usd),
    budgets: row.budget_ids.map((budget_id, at) => ({ budget_id, window_start: instant(row.starts_ms[at]) })),
    user_id: row.user_id,
    provider: row.provider,
    model: row.model,
    created_at: instant(row.created_ms),
    expires_at: instant(row.expires_ms),
  };
}

function instant(milliseconds: string | undefined): string {
  return new Date(Number(milliseconds)).toISOString();
}
