import { OutgoingMessage } from 'node:http';
import { Body, Get, Header, Headers, HttpCode, HttpStatus, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerStream,
  ApiPage,
  CredentialRecheck,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
  type HttpRequest,
} from '#access';
import { BadRequestError, ForbiddenError, type Page } from '#core';
import { IncidentTransitionError } from '../incident/incident.errors.js';
import { IncidentStreams } from '../live/incident-streams.js';
import { IncidentListService } from '../manage/incident-list.service.js';
import { IncidentService } from '../manage/incident.service.js';
import { IncidentTimeline } from '../timeline/incident-timeline.js';
import { ChangeIncidentDto, ChangeIncidentsDto, IncidentQueryDto, IncidentStreamQueryDto } from './incident.dto.js';
import { presentIncident, presentOutcome, presentOwnIncident, presentView } from './incident.presenter.js';
import { IncidentOutcomesDto, IncidentResponseDto, IncidentViewDto, TimelineItemDto } from './incident-response.dto.js';
import { onlyAbout } from './own-incidents.js';

const OWN =
  'With the scope incidents:read:own, only what is about the user behind the credential, and conditions without operands.';
const STREAM_EXAMPLE =
  'retry: 1000\nid: 41\nevent: ready\ndata: {"position":41}\n\n' +
  'id: 42\nevent: incident\ndata: {"id":"0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21","status":"open","occurrences":1}\n\n';

/** Incidents over HTTP (interface specification, sections 2.8 and 6.2). */
@GovernanceController('v1/incidents', 'Incidents')
export class IncidentsController {
  constructor(
    private readonly incidents: IncidentService,
    private readonly lists: IncidentListService,
    private readonly timelines: IncidentTimeline,
    private readonly streams: IncidentStreams,
    private readonly credentials: CredentialRecheck,
  ) {}

  @Get()
  @Requires(['incidents:read', 'incidents:read:own'])
  @ApiOperation({
    operationId: 'listIncidents',
    summary: 'List incidents, the one that was opened last first',
    description: OWN,
  })
  @ApiPage(IncidentResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: IncidentQueryDto): Promise<Page<IncidentResponseDto>> {
    const own = onlyAbout(actor);
    if (own === undefined) return this.lists.list(actor.orgId, query, presentIncident);
    if (query.user_id !== undefined && query.user_id.toLowerCase() !== own) {
      throw new ForbiddenError('This credential may read its own incidents only.');
    }
    const { status, severity, type, policy_id, cursor, limit } = query;
    const theirs = { status, severity, type, policy_id, cursor, limit, user_id: own };
    return this.lists.list(actor.orgId, theirs, presentOwnIncident);
  }

  // Before the route of one incident, which would take "stream" for an id.
  @Get('stream')
  @Header('Cache-Control', 'no-store')
  @Header('X-Accel-Buffering', 'no')
  @Requires(['incidents:read', 'incidents:read:own'])
  @ApiOperation({
    operationId: 'streamIncidents',
    summary: 'Follow changes of incidents as they happen',
    description:
      'Server-sent events: `ready` at the beginning, then `incident` with an incident as it is now, whenever one ' +
      'changes. The id of each is its `change_version`: send the last one as `Last-Event-ID` to go on from there, on any ' +
      'replica. A comment comes every 15 seconds; after 5 minutes the stream ends, and you go on as above. ' +
      `It ends too, within a second, when its credential is not accepted any more. ${OWN}`,
  })
  @ApiHeader({
    name: 'last-event-id',
    required: false,
    description: 'The id of the last event that you have seen.',
    schema: { type: 'string', pattern: '^[0-9]{1,16}$' },
  })
  @ApiOkResponse({
    description: 'Events, until either side ends it.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE } },
  })
  @Refuses(400)
  async stream(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Query() query: IncidentStreamQueryDto,
    @Headers('last-event-id') lastEventId?: string,
  ): Promise<AnswerStream> {
    const after = lastEventId === undefined || lastEventId === '' ? query.after : versionOf(lastEventId);
    const userId = onlyAbout(actor);
    // Whoever has several credentials is one reader all the same.
    const reader = actor.userId?.toLowerCase() ?? `${actor.kind} ${actor.id}`;
    const wish = { after, reader, userId, isStillAllowed: this.credentials.of(request, actor) };
    const changes = await this.streams.open(actor.orgId, wish, presenterFor(userId));
    const file = new AnswerStream(changes, { type: 'text/event-stream; charset=utf-8' });
    // What a stalled reader has not taken would be kept for them, and the connection with it.
    return file.setErrorHandler((_error, response) => {
      if (response instanceof OutgoingMessage) response.destroy();
    });
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
    description: OWN,
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

/** @throws BadRequestError where it is no id of a change */
function versionOf(lastEventId: string): number {
  const version = Number(lastEventId);
  if (/^\d{1,16}$/.test(lastEventId) && Number.isSafeInteger(version)) return version;
  throw BadRequestError.field('Last-Event-ID', 'must be the id of an event of this stream, a whole number');
}

/** How incidents are shown to who may read everybody's, or only those about one user. */
function presenterFor(own: string | undefined): typeof presentIncident {
  return own === undefined ? presentIncident : presentOwnIncident;
}
