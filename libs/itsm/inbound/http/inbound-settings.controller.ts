import { Body, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import { InboundSettingsService } from '../settings/inbound-settings.service.js';
import {
  InboundSettingsResponseDto,
  presentInboundSettings,
  ReplaceInboundSettingsDto,
} from './inbound-settings.dto.js';

/** From where platforms may report on tickets. */
@GovernanceController('v1/itsm/inbound', 'Tickets')
export class InboundSettingsController {
  constructor(private readonly settings: InboundSettingsService) {}

  @Get()
  @Requires('itsm:read')
  @ApiOperation({ operationId: 'getInboundSettings', summary: 'Get who may report on tickets' })
  @ApiOkResponse({ type: InboundSettingsResponseDto, description: 'The settings.' })
  async get(@CurrentActor() { orgId }: Actor): Promise<InboundSettingsResponseDto> {
    return presentInboundSettings(await this.settings.get(orgId));
  }

  @Put()
  @Requires('itsm:write')
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'putInboundSettings',
    summary: 'Say who may report on tickets',
    description:
      'The address that a report comes from must be listed, whether or not its connector has a `report_secret`.',
  })
  @ApiOkResponse({ type: InboundSettingsResponseDto, description: 'The settings as they are now.' })
  async replace(
    @CurrentActor() actor: Actor,
    @Body() body: ReplaceInboundSettingsDto,
  ): Promise<InboundSettingsResponseDto> {
    return presentInboundSettings(await this.settings.replace(actor, body.allowed_networks));
  }
}
