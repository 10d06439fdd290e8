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

/** HTTP routes of incidents (interface specification, sections 2.8 and 6.2). */
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
    summary: 'List incidents, newest first unless `sort` says otherwise',
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
    summary: 'Acknowledge, resolve or annotate several incidents at once',
    description:
      'All changes are one transaction. An incident that cannot be changed stays as it is, with the reason in its outcome.',
  })
  @ApiOkResponse({ type: IncidentOutcomesDto, description: 'The outcome for each incident.' })
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
    summary: 'List the timeline of an incident, newest first',
    description:
      'Each occurrence with its decision, event, deliveries and tickets, and the actions of people. With the scope ' +
      'incidents:read:own, only incidents about the user of the credential, without notes, deliveries and tickets.',
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
    summary: 'Acknowledge, reopen, resolve or annotate an incident',
    description: 'A resolved incident cannot be reopened: the next occurrence opens a new one.',
  })
  @ApiOkResponse({ type: IncidentResponseDto, description: 'The incident after the change.' })
  @Refuses(400, 404, [409, new IncidentTransitionError('resolved', 'open').message], 413, 415)
  async change(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: ChangeIncidentDto,
  ): Promise<IncidentResponseDto> {
    return presentIncident(await this.incidents.change(actor, id, body));
  }
}
