import { Body, HttpCode, HttpStatus, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  type Actor,
  type HttpRequest,
} from '#access';
import { callerPerson, USER_HEADER } from '../people/named-person.js';
import { ClaudeCodeAnswerDto, ClaudeCodeHookDto, ClaudeCodeHookQueryDto } from './hook.dto.js';
import type { HookAnswer } from './hook-answer.js';
import { HookService } from './hook.service.js';

/** Maximum size of a body. It is large, because the input of a hook contains the content of a file that is written. */
const MAX_BYTES = 10 * 1024 * 1024;

/** HTTP route for the hooks of Claude Code. */
@GovernanceController('v1/integrations/claude-code', 'Claude Code')
export class ClaudeCodeController {
  constructor(private readonly hooks: HookService) {}

  @Post('hook')
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @ReadsBody({ maxBytes: MAX_BYTES })
  @Refuses(400, 413, 415)
  @ApiOperation({
    operationId: 'decideClaudeCodeHook',
    summary: 'Decide about a tool call or a prompt of Claude Code (HTTP hook)',
    description:
      'Refusals are answered with 200, because Claude Code continues after any other status. A call without a ' +
      'person is refused.',
  })
  @ApiHeader({
    name: 'X-Governance-User',
    required: false,
    description: 'The person, by e-mail address or id. Without it, the person of the token.',
    schema: { type: 'string', example: 'ada@example.com' },
  })
  @ApiBody({ type: ClaudeCodeHookDto })
  @ApiOkResponse({
    type: ClaudeCodeAnswerDto,
    description: 'Instruction to Claude Code; if empty, its own rules apply.',
  })
  ask(
    @CurrentActor() actor: Actor,
    @Req() request: HttpRequest,
    @Query() query: ClaudeCodeHookQueryDto,
    @Body() body: unknown,
  ): Promise<HookAnswer> {
    const { on_allow: onAllow = 'none', on_alert: onAlert = 'none', tool_input: input = 'none' } = query;
    const options = { onAllow, onAlert, readsInput: input === 'attributes' };
    return this.hooks.ask(actor.orgId, callerPerson(actor, request.headers[USER_HEADER]), body, options);
  }
}
