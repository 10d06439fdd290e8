import {
  Body,
  Controller,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Req,
  SetMetadata,
  UseFilters,
  UseGuards,
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
import { ChatAdapters } from '../chat-adapters.js';
import { ChatOwners, ChatSignatureError } from '../commands/chat-owners.js';
import { ChatPresses } from '../commands/chat-presses.js';
import { ChatErrorFilter } from './chat-error.filter.js';
import { ChatMetrics } from './chat-metrics.js';
import { chatRequest, type RawHttpRequest } from './chat-request.js';
import { PRESS_MAX_BYTES, PressSizeGuard } from './chat-size.guard.js';

const FORM = 'application/x-www-form-urlencoded';
const EXAMPLE = 'payload=%7B%22type%22%3A%22block_actions%22%2C%22team%22%3A%7B%22id%22%3A%22T024BE7LD%22%7D%7D';

/** Where chat platforms report pressed buttons. */
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
  @HttpCode(HttpStatus.OK)
  @Open()
  @ReadsBody({ maxBytes: PRESS_MAX_BYTES, textTypes: [FORM] })
  @Refuses([401, new ChatSignatureError().message], 404, [413, 'The body may be at most 64 KiB.'], 415)
  @ApiOperation({
    operationId: 'reportChatPress',
    summary: 'Report a pressed button',
    description:
      'Called by chat platforms: `/v1/integrations/slack/interactions` is the request URL of interactivity in Slack. ' +
      'The signature of the body is the credential. The answer is empty. The result follows through `response_url`.',
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
    // A button that only opens a link.
    if (press.text === '') return;
    await this.presses.take(adapter, press, () => this.owners.of(adapter, press, request), { address, requestId });
    this.metrics.count(platform);
  }
}
