import { Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Requires, SCOPES, type Actor, type HttpRequest } from '#access';
import { BrowserSessions } from '../sessions/browser-sessions.js';
import { MeResponseDto } from './me.dto.js';
import { MeService } from './me.service.js';

/** HTTP route that describes the caller. */
@GovernanceController('v1/me', 'Dashboard')
export class MeController {
  constructor(
    private readonly me: MeService,
    private readonly browsers: BrowserSessions,
  ) {}

  @Get()
  @Requires(SCOPES)
  @ApiOperation({
    operationId: 'getMe',
    summary: 'Get who you are and what you may do',
    description: 'Every credential may call this.',
  })
  @ApiOkResponse({ type: MeResponseDto, description: 'The caller.' })
  async get(@CurrentActor() actor: Actor, @Req() request: HttpRequest): Promise<MeResponseDto> {
    return this.me.of(actor, await this.browsers.sessionOf(request));
  }
}
