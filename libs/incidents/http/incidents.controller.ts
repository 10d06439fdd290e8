import { Body, Get, HttpCode, HttpStatus, Patch, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import { ForbiddenError, type Page } from '#core';
import { IncidentTransitionError } from '../incident/incident.errors.js';
import { IncidentListService } from '../manage/incident-list.service.js';
import { IncidentService } from '../manage/incident.service.js';
import { IncidentTimeline } from '../timeline/incident-timeline.js';
import { ChangeIncidentDto, ChangeIncidentsDto, IncidentQueryDto, readIncidentQuery } from './incident.dto.js';
import {
  presenterFor,
  presentIncident,
  presentOutcome,
  presentOwnIncident,
  presentView,
} from './incident.presenter.js';
import { IncidentOutcomesDto, IncidentResponseDto, IncidentViewDto, TimelineItemDto } from './incident-response.dto.js';
import { ONLY_OWN, onlyAbout } from './own-incidents.js';

/** Incidents over HTTP (interface specification, sections 2.8 and 6.2). */
@GovernanceController('v1/incidents', 'Incidents')
export class IncidentsController {
  constructor(
    private readonly incidents: IncidentService,
    private readonly lists: IncidentListService,
    private readonly timelines: IncidentTimeline,
  ) {}

  @Get()
  @Requires(['incidents:read', 'incidents:read:own'])
  @ApiOperation({
    operationId: 'listIncidents',
    summary: 'List incidents, the one that was opened last first',
    description: ONLY_OWN,
  })
  @ApiPage(IncidentResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: IncidentQueryDto): Promise<Page<IncidentResponseDto>> {
    const own = onlyAbout(actor);
    const wanted = readIncidentQuery(query);
    if (own === undefined) return this.lists.list(actor.orgId, wanted, presentIncident);
    if (query.user_id !== undefined && query.user_id.toLowerCase() !== own) {
      throw new ForbiddenError('This credential may read its own incidents only.');
    }
    return this.lists.list(actor.orgId, { ...wanted, user_id: own }, presentOwnIncident);
  }

  @Post('bulk')
  @HttpCode(HttpStatus.OK)
  @Requires('incidents:write')
  @ApiOperation({
    operationId: 'updateIncidents',
    summary: 'Acknowledge, resolve or note several incidents at once',
    description: 'Each for itself, in one transaction: one that cannot be changed so stays as it is and says why.',
  })
  @ApiOkResponse({ type: IncidentOutcomesDto, description: 'What came of each.' })
  @Refuses(400, 413, 415)
  async changeAll(@CurrentActor() actor: Actor, @Body() body: ChangeIncidentsDto): Promise<IncidentOutcomesDto> {
    const { ids, ...change } = body;
    return { results: (await this.incidents.changeAll(actor, ids, change)).map(presentOutcome) };
  }

  @Get(':id')
  @Requires(['incidents:read', 'incidents:read:own'])
  @ApiOperation({
    operationId: 'getIncident',
    summary: 'Get an incident with the newest 50 entries of its timeline',
    description: ONLY_OWN,
  })
  @ApiOkResponse({ type: IncidentViewDto, description: 'The incident.' })
  @Refuses(404)
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<IncidentViewDto> {
    const own = onlyAbout(actor);
    const { incident, timeline } = await this.timelines.view(actor.orgId, id, own);
    return presentView(presenterFor(own)(incident), timeline);
  }

  @Get(':id/timeline')
  @Requires(['incidents:read', 'incidents:read:own'])
  @ApiOperation({
    operationId: 'listIncidentTimeline',
    summary: 'List what happened with an incident, the newest first',
    description:
      'Each occurrence with its decision, its event, the deliveries and tickets of that, and what people did. With the ' +
      'scope incidents:read:own, without notes, deliveries and tickets, and only for what is about the user behind the credential.',
  })
  @ApiPage(TimelineItemDto)
  @Refuses(400, 404)
  timeline(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<TimelineItemDto>> {
    return this.timelines.list(actor.orgId, id, query, onlyAbout(actor));
  }

  @Patch(':id')
  @Requires('incidents:write')
  @ApiOperation({
    operationId: 'updateIncident',
    summary: 'Acknowledge, reopen, resolve or note an incident',
    description: 'Resolved is for good: what happens then opens another incident.',
  })
  @ApiOkResponse({ type: IncidentResponseDto, description: 'The incident as it is now.' })
  @Refuses(400, 404, [409, new IncidentTransitionError('resolved', 'open').message], 413, 415)
  async change(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: ChangeIncidentDto,
  ): Promise<IncidentResponseDto> {
    return presentIncident(await this.incidents.change(actor, id, body));
  }
}
