import {
  Body,
  Controller,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Req,
  UseFilters,
  UseGuards,
  SetMetadata,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  GOVERNANCE_ROUTE,
  AccessGuard,
  BodyGuard,
  CurrentVisitor,
  Open,
  ReadsBody,
  Refuses,
  type Visitor,
} from '#access';
import type { JsonObject } from '#core';
import { ChatAdapters } from '../chat-adapters.js';
import { ChatCommands } from '../commands/chat-commands.js';
import { ChatOwners, ChatSignatureError } from '../commands/chat-owners.js';
import { ChatErrorFilter } from './chat-error.filter.js';
import { ChatMetrics } from './chat-metrics.js';
import { chatRequest, type RawHttpRequest } from './chat-request.js';
import { ChatSizeGuard, COMMAND_MAX_BYTES } from './chat-size.guard.js';

const FORM = 'application/x-www-form-urlencoded';
const EXAMPLE =
  'command=%2Fservice-alerts&text=list&team_id=T024BE7LD&user_id=U2147483697&trigger_id=13345224609.738474920.8088930838d8' +
  '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT024BE7LD%2F1%2Fx';

/** Where chat platforms send the commands that people type. */
@Controller({ path: 'v1/integrations', version: VERSION_NEUTRAL })
@SetMetadata(GOVERNANCE_ROUTE, true)
@UseFilters(ChatErrorFilter)
@UseGuards(AccessGuard, ChatSizeGuard, BodyGuard)
@ApiTags('Chat')
export class ChatCommandsController {
  constructor(
    private readonly adapters: ChatAdapters,
    private readonly owners: ChatOwners,
    private readonly commands: ChatCommands,
    private readonly metrics: ChatMetrics,
  ) {}

  @Post(':platform/commands')
  @HttpCode(HttpStatus.OK)
  @Open()
  @ReadsBody({ maxBytes: COMMAND_MAX_BYTES, textTypes: [FORM] })
  @Refuses([401, new ChatSignatureError().message], 404, [413, 'The body may be at most 16 KiB.'], 415)
  @ApiOperation({
    operationId: 'runChatCommand',
    summary: 'Run a chat command',
    description:
      'Called by chat platforms: `/v1/integrations/slack/commands` is the request URL of a Slack slash command. ' +
      'The signature of the body is the credential. Errors in the command itself are answered with 200, as text ' +
      'for the person who typed it.',
  })
  @ApiParam({ name: 'platform', description: 'Which chat platform.', schema: { type: 'string', example: 'slack' } })
  @ApiHeader({
    name: 'X-Slack-Signature',
    required: false,
    description: 'Slack only: `v0=` and the HMAC-SHA256 of `v0:<timestamp>:<body>` in hexadecimal.',
    schema: { type: 'string' },
  })
  @ApiHeader({
    name: 'X-Slack-Request-Timestamp',
    required: false,
    description: 'Slack only: Unix time in seconds, at most five minutes off.',
    schema: { type: 'string' },
  })
  @ApiConsumes(FORM)
  @ApiBody({ schema: { type: 'string', example: EXAMPLE } })
  @ApiOkResponse({
    description: 'The answer in the platform’s format.',
    schema: {
      type: 'object',
      additionalProperties: true,
      example: { response_type: 'ephemeral', text: 'No incident is unresolved.' },
    },
  })
  async run(
    @Param('platform') platform: string,
    @CurrentVisitor() { address, requestId }: Visitor,
    @Req() http: RawHttpRequest,
    @Body() body: unknown,
  ): Promise<JsonObject> {
    const adapter = this.adapters.get(platform);
    const request = chatRequest(http, body);
    if (adapter.isProbe(request)) return {};
    const command = adapter.read(request);
    if (!command) throw new ChatSignatureError();
    const findOwner = () => this.owners.of(adapter, command, request);
    const text = await this.commands.take(adapter, command, findOwner, { address, requestId });
    this.metrics.count(platform);
    return adapter.reply(text);
  }
}
