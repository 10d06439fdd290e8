import { Body, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import { InboundSettingsService } from '../settings/inbound-settings.service.js';
import {
  InboundSettingsResponseDto,
  presentInboundSettings,
  ReplaceInboundSettingsDto,
} from './inbound-settings.dto.js';

/** Manages the networks that may send ticket reports. */
@GovernanceController('v1/itsm/inbound', 'Tickets')
export class InboundSettingsController {
  constructor(private readonly settings: InboundSettingsService) {}

  @Get()
  @Requires('itsm:read')
  @ApiOperation({ operationId: 'getInboundSettings', summary: 'Get the networks that may report on tickets' })
  @ApiOkResponse({ type: InboundSettingsResponseDto, description: 'The settings.' })
  async get(@CurrentActor() { orgId }: Actor): Promise<InboundSettingsResponseDto> {
    return presentInboundSettings(await this.settings.get(orgId));
  }

  @Put()
  @Requires('itsm:write')
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'putInboundSettings',
    summary: 'Set the networks that may report on tickets',
    description: 'The sender’s address must be listed, even if the connector has a `report_secret`.',
  })
  @ApiOkResponse({ type: InboundSettingsResponseDto, description: 'The settings after the change.' })
  async replace(
    @CurrentActor() actor: Actor,
    @Body() body: ReplaceInboundSettingsDto,
  ): Promise<InboundSettingsResponseDto> {
    return presentInboundSettings(await this.settings.replace(actor, body.allowed_networks));
  }
}
