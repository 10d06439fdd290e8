import { Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiPage, CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import type { Page } from '#core';
import {
  ExtendedReservationDto,
  presentReservation,
  ReservationQueryDto,
  ReservationResponseDto,
} from './reservation.dto.js';
import { ReservationExtension } from './reservation-extension.js';
import { ReservationListService } from './reservation-list.service.js';

/** HTTP routes of reservations. */
@GovernanceController('v1/reservations', 'Budgets')
export class ReservationsController {
  constructor(
    private readonly reservations: ReservationListService,
    private readonly extension: ReservationExtension,
  ) {}

  @Get()
  @Requires('budgets:read')
  @ApiOperation({
    operationId: 'listReservations',
    summary: 'List reservations in blocking budgets, newest decision first',
    description: 'A reservation is listed until usage settles it, its decision is released, or it expires.',
  })
  @ApiPage(ReservationResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: ReservationQueryDto): Promise<Page<ReservationResponseDto>> {
    const { budget_id: budgetId, cursor, limit } = query;
    return this.reservations.list(actor.orgId, { budgetId, cursor, limit }, presentReservation);
  }

  @Post(':id/extend')
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @ApiOperation({
    operationId: 'extendReservation',
    summary: 'Extend the reservation of a decision by a full term from now',
    description:
      'For agents that run longer than a reservation: call this before expires_at, with the id of the decision. Each call ' +
      'extends it again. An expired reservation cannot be extended: ask for a new decision.',
  })
  @ApiOkResponse({ type: ExtendedReservationDto, description: 'The new expiry of the reservation.' })
  @Refuses(404)
  extend(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<ExtendedReservationDto> {
    return this.extension.extend(actor.orgId, id);
  }
}
