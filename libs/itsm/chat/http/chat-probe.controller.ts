import { Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, GovernanceController, Open, Refuses } from '#access';
import { ChatAdapters } from '../chat-adapters.js';

/** Answer to a browser in which a person opens the request URL of a chat platform. */
@ApiSchema({ name: 'GovernanceChatProbeDto' })
class ChatProbeDto extends dtoOf({
  platform: f.text('slack'),
  message: f.text('This URL is reachable. Slack calls it with signed POST requests.'),
}) {}

/** Confirms the request URL to a person who opens it in a browser. Reads nothing from the database. */
@GovernanceController('v1/integrations', 'Chat')
export class ChatProbeController {
  constructor(private readonly adapters: ChatAdapters) {}

  @Get(':platform/commands')
  @Open()
  @ApiOperation({
    operationId: 'testChatCommandUrl',
    summary: 'Check that the request URL of chat commands is reachable',
    description: 'Open the request URL in a browser. The answer does not show whether a workspace is registered.',
  })
  @ApiParam({ name: 'platform', description: 'Which chat platform.', schema: { type: 'string', example: 'slack' } })
  @ApiOkResponse({ type: ChatProbeDto, description: 'The URL is reachable.' })
  @Refuses(404)
  commands(@Param('platform') platform: string): ChatProbeDto {
    const { title } = this.adapters.get(platform);
    return { platform, message: `This URL is reachable. ${title} calls it with signed POST requests.` };
  }

  @Get(':platform/interactions')
  @Open()
  @ApiOperation({
    operationId: 'testChatInteractionUrl',
    summary: 'Check that the request URL of interactivity is reachable',
    description: 'Open the request URL in a browser. The answer does not show whether a workspace is registered.',
  })
  @ApiParam({ name: 'platform', description: 'Which chat platform.', schema: { type: 'string', example: 'slack' } })
  @ApiOkResponse({ type: ChatProbeDto, description: 'The URL is reachable.' })
  @Refuses(404)
  interactions(@Param('platform') platform: string): ChatProbeDto {
    return this.commands(platform);
  }
}
