import { Body, Get, HttpCode, HttpStatus, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AlsoNeeds,
  ApiPage,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { AnomaliesService } from '../record/anomalies.service.js';
import { AnomalyFeedbackService } from '../record/anomaly-feedback.service.js';
import { AnomalySettingsService } from '../settings/anomaly-settings.service.js';
import { AnomalySimulationUnderWayError, AnomalySimulator } from '../simulate/anomaly-simulator.js';
import { AnomalyFeedbackDto, AnomalyQueryDto, AnomalyResponseDto, readAnomalyQuery } from './anomaly.dto.js';
import { presentAnomaly } from './anomaly.presenter.js';
import {
  AnomalySettingsDto,
  AnomalySettingsResponseDto,
  presentSettings,
  settingsFrom,
} from './anomaly-settings.dto.js';
import {
  AnomalySimulationDto,
  AnomalySimulationResponseDto,
  daysOf,
  presentSimulation,
} from './anomaly-simulation.dto.js';

const UNDER_WAY = new AnomalySimulationUnderWayError().message;

/** HTTP routes of anomalies. */
@GovernanceController('v1/anomalies', 'Anomalies')
export class AnomaliesController {
  constructor(
    private readonly anomalies: AnomaliesService,
    private readonly feedback: AnomalyFeedbackService,
    private readonly settings: AnomalySettingsService,
    private readonly simulator: AnomalySimulator,
  ) {}

  @Get()
  @Requires('anomalies:read')
  @ApiOperation({ operationId: 'listAnomalies', summary: 'List anomalies, newest first' })
  @ApiPage(AnomalyResponseDto)
  @Refuses(400)
  list(@CurrentActor() { orgId }: Actor, @Query() query: AnomalyQueryDto): Promise<Page<AnomalyResponseDto>> {
    return this.anomalies.list(orgId, readAnomalyQuery(query), presentAnomaly);
  }

  @Get('settings')
  @Requires('anomalies:read')
  @ApiOperation({ operationId: 'getAnomalySettings', summary: 'Get the settings of anomaly detection' })
  @ApiOkResponse({ type: AnomalySettingsResponseDto, description: 'The settings.' })
  async getSettings(@CurrentActor() { orgId }: Actor): Promise<AnomalySettingsResponseDto> {
    return presentSettings(await this.settings.get(orgId));
  }

  @Put('settings')
  @Requires('anomalies:write')
  @ApiOperation({
    operationId: 'putAnomalySettings',
    summary: 'Change the settings of anomaly detection',
    description: 'Every field is optional. Only the fields that you send change.',
  })
  @ApiOkResponse({ type: AnomalySettingsResponseDto, description: 'The settings after the change.' })
  @Refuses(400, 413, 415)
  async putSettings(
    @CurrentActor() actor: Actor,
    @Body() body: AnomalySettingsDto,
  ): Promise<AnomalySettingsResponseDto> {
    return presentSettings(await this.settings.change(actor, before => settingsFrom(body, before)));
  }

  @Post('simulate')
  @HttpCode(HttpStatus.OK)
  @Requires('anomalies:read')
  // The response shows the usage of people, so it needs another scope.
  @AlsoNeeds('usage:read')
  @ReadsBody({ optional: true })
  @ApiOperation({
    operationId: 'simulateAnomalies',
    summary: 'Simulate settings on the usage of the last days',
    description:
      'Replays the usage of up to 5,000 users and of the organization. Changes nothing and sends no alarm. Limits ' +
      'learned from feedback are ignored. Each replica runs one simulation per organization at a time.',
  })
  @ApiOkResponse({
    type: AnomalySimulationResponseDto,
    description: 'The alarms that these settings would have raised.',
  })
  @Refuses(400, [409, UNDER_WAY], 413, 415)
  async simulate(
    @CurrentActor() { orgId }: Actor,
    @Body() body: AnomalySimulationDto,
  ): Promise<AnomalySimulationResponseDto> {
    const { settings: base } = await this.settings.get(orgId);
    const settings = settingsFrom(body.settings ?? {}, base);
    return presentSimulation(await this.simulator.simulate(orgId, daysOf(body), settings));
  }

  @Get(':id')
  @Requires('anomalies:read')
  @ApiOperation({ operationId: 'getAnomaly', summary: 'Get an anomaly' })
  @ApiOkResponse({ type: AnomalyResponseDto, description: 'The anomaly.' })
  @Refuses(404)
  async get(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<AnomalyResponseDto> {
    return presentAnomaly(await this.anomalies.get(orgId, id));
  }

  @Post(':id/feedback')
  @HttpCode(HttpStatus.OK)
  @Requires('anomalies:write')
  @ApiOperation({
    operationId: 'judgeAnomaly',
    summary: 'Give feedback on whether an anomaly was expected',
    description:
      '`expected` widens the limits of this user or organization by 25 %, `unexpected` narrows them by 15 %. New ' +
      'feedback on the same anomaly replaces the first.',
  })
  @ApiOkResponse({ type: AnomalyResponseDto, description: 'The anomaly with the feedback.' })
  @Refuses(400, 404, 413, 415)
  async judge(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { feedback, note }: AnomalyFeedbackDto,
  ): Promise<AnomalyResponseDto> {
    return presentAnomaly(await this.feedback.give(actor, id, feedback, note ?? null));
  }
}
