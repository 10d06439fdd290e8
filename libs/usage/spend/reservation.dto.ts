import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PageQueryDto, UuidField } from '#access';
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
export class ReservedWindowDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-8a10-7e55-b6f7-3d20c94e7a18' })
  budget_id!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'First instant of the window.',
    example: '2026-10-31T23:00:00.000Z',
  })
  window_start!: string;
}

/** An extended reservation. */
@ApiSchema({ name: 'GovernanceExtendedReservationDto' })
export class ExtendedReservationDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-b204-7d9a-8f61-e7035a4c2b98' })
  decision_id!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time at which the reservation expires, unless usage is reported or it is extended again.',
    example: '2026-11-20T13:30:00.000Z',
  })
  expires_at!: string;
}

/** Money that is reserved for a decision until its usage is reported. */
@ApiSchema({ name: 'GovernanceReservationResponseDto' })
export class ReservationResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-b204-7d9a-8f61-e7035a4c2b98' })
  decision_id!: string;

  @ApiProperty({ type: Number, minimum: 0, description: 'US dollars, in each of the windows.', example: 0.0125 })
  amount_usd!: number;

  @ApiProperty({ type: [ReservedWindowDto], description: 'The budget windows in which the money is reserved.' })
  budgets!: ReservedWindowDto[];

  @ApiProperty({ description: 'The user who made the request.', example: '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4' })
  user_id!: string;

  @ApiProperty({ example: 'openai' })
  provider!: string;

  @ApiProperty({ example: 'gpt-4o' })
  model!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time at which the reservation expires, unless usage is reported.',
    example: '2026-11-20T13:15:00.000Z',
  })
  expires_at!: string;
}

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
