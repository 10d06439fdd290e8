import { Get, Header, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerWriter,
  CredentialRecheck,
  CurrentActor,
  GovernanceController,
  Refuses,
  Requires,
  streamedAnswer,
  type Actor,
  type HttpRequest,
  type HttpResponse,
} from '#access';
import { BadRequestError } from '#core';
import { IncidentStreams } from '../live/incident-streams.js';
import { IncidentStreamQueryDto } from './incident.dto.js';
import { presenterFor } from './incident.presenter.js';
import { ONLY_OWN, onlyAbout } from './own-incidents.js';

const STREAM_EXAMPLE =
  'retry: 1000\nid: 41\nevent: ready\ndata: {"position":41}\n\n' +
  'id: 42\nevent: incident\ndata: {"id":"0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21","status":"open","occurrences":1}\n\n';

/** Streams changes of incidents (interface specification, section 2.8). */
@GovernanceController('v1/incidents', 'Incidents')
export class IncidentStreamController {
  constructor(
    private readonly streams: IncidentStreams,
    private readonly credentials: CredentialRecheck,
    private readonly answers: AnswerWriter,
  ) {}

  @Get('stream')
  @Header('Cache-Control', 'no-store')
  @Header('X-Accel-Buffering', 'no')
  @Requires(['incidents:read', 'incidents:read:own'])
  @ApiOperation({
    operationId: 'streamIncidents',
    summary: 'Follow changes of incidents as they happen',
    description:
      'Server-sent events: first `ready`, then an `incident` with each change, in its current state. The id of an event is ' +
      'its `change_version`. To resume on any replica, send the last id as `Last-Event-ID`. A comment arrives every 15 ' +
      'seconds. The stream ends after 5 minutes; then resume. It also ends within a second if its credential is no longer ' +
      `valid. ${ONLY_OWN}`,
  })
  @ApiHeader({
    name: 'last-event-id',
    required: false,
    description: 'The id of the last event that you have seen.',
    schema: { type: 'string', pattern: '^[0-9]{1,16}$' },
  })
  @ApiOkResponse({
    description: 'Events, until client or server ends the stream.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE } },
  })
  @Refuses(400)
  async stream(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Res() response: HttpResponse,
    @Query() query: IncidentStreamQueryDto,
    @Headers('last-event-id') lastEventId?: string,
  ): Promise<void> {
    const after = lastEventId === undefined || lastEventId === '' ? query.after : versionOf(lastEventId);
    const userId = onlyAbout(actor);
    // A user with several credentials counts as one reader.
    const reader = actor.userId?.toLowerCase() ?? `${actor.kind} ${actor.id}`;
    const options = { after, reader, userId, isStillAllowed: this.credentials.of(request, actor) };
    const changes = await this.streams.open(actor.orgId, options, presenterFor(userId));
    // If the client stops reading, the stream fails and the connection is closed.
    this.answers.write(response, streamedAnswer(changes, { type: 'text/event-stream; charset=utf-8' }));
  }
}

/** @throws BadRequestError if the text is not the id of a change */
function versionOf(lastEventId: string): number {
  const version = Number(lastEventId);
  if (/^\d{1,16}$/.test(lastEventId) && Number.isSafeInteger(version)) return version;
  throw BadRequestError.field('Last-Event-ID', 'must be the id of an event of this stream, a whole number');
}
