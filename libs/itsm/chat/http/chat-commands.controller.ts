import {
  Body,
  Controller,
  Param,
  Post,
  Req,
  UseFilters,
  UseGuards,
  SetMetadata,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GOVERNANCE_ROUTE, AccessGuard, BodyGuard, CurrentVisitor, type Visitor } from '#access';
import type { JsonObject } from '#core';
import { ChatAdapters } from '../chat-adapters.js';
import { ChatCommands } from '../commands/chat-commands.js';
import { ChatOwners, ChatSignatureError } from '../commands/chat-owners.js';
import { ChatErrorFilter } from './chat-error.filter.js';
import { ChatMetrics } from './chat-metrics.js';
import { TakesSignedForm } from './signed-form.decorators.js';
import { chatRequest, type RawHttpRequest } from './chat-request.js';
import { ChatSizeGuard, COMMAND_MAX_BYTES } from './chat-size.guard.js';

const EXAMPLE =
  'command=%2Fservice-alerts&text=list&team_id=T024BE7LD&user_id=U2147483697&trigger_id=13345224609.738474920.8088930838d8' +
  '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT024BE7LD%2F1%2Fx';

/** Receives the commands of chat platforms. */
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
  @TakesSignedForm({ maxBytes: COMMAND_MAX_BYTES, example: EXAMPLE })
  @ApiOperation({
    operationId: 'runChatCommand',
    summary: 'Run a chat command',
    description:
      'Called by chat platforms: `/v1/integrations/slack/commands` is the request URL of a Slack slash command. ' +
      'The signature of the body is the credential. Errors in the command itself are answered with 200, as text ' +
      'for the person who typed it.',
  })
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
