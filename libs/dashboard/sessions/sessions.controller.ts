import { Delete, Get, HttpCode, Query, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  Refuses,
  Requires,
  ResourceId,
  SCOPES,
  type Actor,
  type HttpRequest,
} from '#access';
import { showPage } from '#database';
import type { Page } from '#core';
import { BrowserSessions } from './browser-sessions.js';
import { SessionListService } from './session-list.service.js';
import { presentSession, SessionResponseDto } from './session.dto.js';

/** HTTP routes of browser sessions. */
@GovernanceController('v1/sessions', 'Dashboard')
export class SessionsController {
  constructor(
    private readonly sessions: SessionListService,
    private readonly browsers: BrowserSessions,
  ) {}

  @Get()
  @Requires(SCOPES)
  @Refuses(400)
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'List active sessions of the dashboard, newest first',
    description: 'Lists the sessions of the organization with `tokens:read`, otherwise your own sessions.',
  })
  @ApiPage(SessionResponseDto)
  async list(
    @CurrentActor() actor: Actor,
    @Query() query: PageQueryDto,
    @Req() request: HttpRequest,
  ): Promise<Page<SessionResponseDto>> {
    const current = await this.browsers.sessionOf(request);
    return showPage(await this.sessions.list(actor, query), session => presentSession(session, current?.id));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires(SCOPES)
  @Refuses(404)
  @ApiOperation({
    operationId: 'revokeSession',
    summary: 'End a session of the dashboard',
    description:
      'You may always end your own sessions. To end others, you need `tokens:read` and `tokens:write`. The next request of the session gets 401.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  async end(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    await this.sessions.end(actor, id);
  }
}
