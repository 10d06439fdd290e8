import { Get, Header, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerWriter,
  ChoicesField,
  CredentialRecheck,
  CurrentActor,
  GovernanceController,
  Refuses,
  Requires,
  severalOf,
  streamedAnswer,
  type Actor,
  type HttpRequest,
  type HttpResponse,
} from '#access';
import { LIVE_TOPICS, LiveTopics } from '#core';
import { followedTopics } from './followed-topics.js';
import { TopicStreams } from './topic-streams.js';

const EXAMPLE =
  'retry: 1000\nid: incidents=41,tickets=xOJx2mSdq1aF\nevent: ready\ndata: {"topics":["incidents","tickets"]}\n\n' +
  'id: incidents=42,tickets=xOJx2mSdq1aF\nevent: change\n' +
  'data: {"topic":"incidents","ids":["0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21"]}\n\n';

/** Query of `GET /v1/stream`. */
export class StreamQueryDto {
  @ChoicesField(LIVE_TOPICS, {
    description: 'What to follow: one topic or several, separated by commas.',
    example: 'incidents,tickets',
  })
  topics!: string;
}

/** HTTP route of the live stream, which reports changes of all topics. */
@GovernanceController('v1/stream', 'Dashboard')
export class StreamController {
  constructor(
    private readonly streams: TopicStreams,
    private readonly topics: LiveTopics,
    private readonly credentials: CredentialRecheck,
    private readonly answers: AnswerWriter,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Header('X-Accel-Buffering', 'no')
  @Requires([
    ...(['incidents:read', 'incidents:read:own', 'itsm:read', 'approvals:read', 'approvals:read:own'] as const),
    ...(['policies:read', 'decisions:read', 'usage:read', 'usage:read:own', 'budgets:read', 'prices:read'] as const),
    ...(['webhooks:read', 'anomalies:read', 'users:read', 'devices:read', 'audit:read'] as const),
  ])
  @ApiOperation({
    operationId: 'streamTopics',
    summary: 'Follow everything that changes',
    description:
      'Server-sent events that name what changed; read the records again with their own routes. First `ready` with the ' +
      'topics; then `change` with `topic`, and for incidents also the `ids` of at most 100 changed records. `reset` with ' +
      '`topics` means: read all of these again, because more changed, or because the position to resume from is unknown. ' +
      'To resume on any replica, send the last id as `Last-Event-ID`. Several changes may be sent as one, and a slow ' +
      'reader gets fewer events, never a long queue. A comment arrives every 15 seconds. The stream ends after 5 minutes; ' +
      'then resume. It also ends within a second if its credential is no longer valid. Each topic needs its own scope; ' +
      'topics that you may not read are named in the error 403. With an `:own` scope, you follow only what is about the ' +
      'user of the credential. At most five streams per user, and 200 per organization, are open in one process.',
  })
  @ApiHeader({
    name: 'last-event-id',
    required: false,
    description: 'The id of the last event that you have seen.',
    schema: { type: 'string', maxLength: 1000 },
  })
  @ApiOkResponse({
    description: 'Events, until client or server ends the stream.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @Refuses(400)
  async stream(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Res() response: HttpResponse,
    @Query() { topics }: StreamQueryDto,
    @Headers('last-event-id') lastEventId?: string,
  ): Promise<void> {
    const followed = followedTopics(this.topics, severalOf(LIVE_TOPICS, topics) ?? [], actor);
    const userId = actor.userId?.toLowerCase();
    const audience = {
      followed,
      userId,
      // A user with several credentials counts as one reader.
      reader: userId ?? `${actor.kind} ${actor.id}`,
      isStillAllowed: this.credentials.of(request, actor),
    };
    const events = await this.streams.open(actor.orgId, audience, lastEventId === '' ? undefined : lastEventId);
    // If the client stops reading, the stream fails and the connection is closed.
    this.answers.write(response, streamedAnswer(events, { type: 'text/event-stream; charset=utf-8' }));
  }
}
