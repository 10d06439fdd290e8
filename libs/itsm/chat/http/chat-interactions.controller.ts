import {
  Body,
  Controller,
  Param,
  Post,
  Req,
  SetMetadata,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GOVERNANCE_ROUTE, AccessGuard, BodyGuard, CurrentVisitor, type Visitor } from '#access';
import { ChatAdapters } from '../chat-adapters.js';
import { ChatOwners, ChatSignatureError } from '../commands/chat-owners.js';
import { ChatPresses } from '../commands/chat-presses.js';
import { ChatErrorFilter } from './chat-error.filter.js';
import { ChatMetrics } from './chat-metrics.js';
import { TakesSignedForm } from './signed-form.decorators.js';
import { chatRequest, type RawHttpRequest } from './chat-request.js';
import { PRESS_MAX_BYTES, PressSizeGuard } from './chat-size.guard.js';

const EXAMPLE = 'payload=%7B%22type%22%3A%22block_actions%22%2C%22team%22%3A%7B%22id%22%3A%22T024BE7LD%22%7D%7D';

/** Receives the pressed buttons of chat platforms. */
@Controller({ path: 'v1/integrations', version: VERSION_NEUTRAL })
@SetMetadata(GOVERNANCE_ROUTE, true)
@UseFilters(ChatErrorFilter)
@UseGuards(AccessGuard, PressSizeGuard, BodyGuard)
@ApiTags('Chat')
export class ChatInteractionsController {
  constructor(
    private readonly adapters: ChatAdapters,
    private readonly owners: ChatOwners,
    private readonly presses: ChatPresses,
    private readonly metrics: ChatMetrics,
  ) {}

  @Post(':platform/interactions')
  @TakesSignedForm({ maxBytes: PRESS_MAX_BYTES, example: EXAMPLE })
  @ApiOperation({
    operationId: 'reportChatPress',
    summary: 'Report a pressed button',
    description:
      'Called by chat platforms: `/v1/integrations/slack/interactions` is the request URL of interactivity in Slack. ' +
      'The signature of the body is the credential. The answer is empty. The result follows through `response_url`.',
  })
  @ApiOkResponse({
    description: 'Received. The body is empty.',
    content: { 'text/plain': { schema: { type: 'string', maxLength: 0, example: '' } } },
  })
  async press(
    @Param('platform') platform: string,
    @CurrentVisitor() { address, requestId }: Visitor,
    @Req() http: RawHttpRequest,
    @Body() body: unknown,
  ): Promise<void> {
    const adapter = this.adapters.get(platform);
    const request = chatRequest(http, body);
    if (adapter.isProbe(request)) return;
    const press = adapter.readPress?.(request);
    if (!press) throw new ChatSignatureError();
    // A button that only opens a link has no command.
    if (press.text === '') return;
    await this.presses.take(adapter, press, () => this.owners.of(adapter, press, request), { address, requestId });
    this.metrics.count(platform);
  }
}
