import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import type { Page } from '#core';
import { presentReservation, ReservationQueryDto, ReservationResponseDto } from './reservation.dto.js';
import { ReservationListService } from './reservation-list.service.js';

/** What is held of budgets, over HTTP. */
@GovernanceController('v1/reservations', 'Budgets')
export class ReservationsController {
  constructor(private readonly reservations: ReservationListService) {}

  @Get()
  @Requires('budgets:read')
  @ApiOperation({
    operationId: 'listReservations',
    summary: 'List what is held of blocking budgets, the newest decision first',
    description: 'A reservation is listed until usage settles it, its decision is released, or it expires.',
  })
  @ApiPage(ReservationResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: ReservationQueryDto): Promise<Page<ReservationResponseDto>> {
    const { budget_id: budgetId, cursor, limit } = query;
    return this.reservations.list(actor.orgId, { budgetId, cursor, limit }, presentReservation);
  }
}
