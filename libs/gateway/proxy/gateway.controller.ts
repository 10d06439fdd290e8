import {
  All,
  Controller,
  Get,
  Head,
  Post,
  Req,
  Res,
  SetMetadata,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  AccessGuard,
  ApiKeyGuard,
  CurrentActor,
  GOVERNANCE_ROUTE,
  Open,
  Requires,
  type Actor,
  type HttpRequest,
  type HttpResponse,
} from '#access';
import { GatewayErrorFilter } from './gateway-error.filter.js';
import { gatewayErrors } from './gateway.errors.js';
import { readGatewayPath } from './gateway-path.js';
import { GatewayService } from './gateway.service.js';
import { RefusesAsProvider } from './provider-refusals.js';

// The routes use parameters instead of wildcards, because Express and Fastify write wildcards differently. The longest
// path has three segments after the model prefix. Express tries the routes in this order. The most frequent one, chat
// completions, therefore comes first.
const PATHS = [
  ':name/:p1/:p2/:p3',
  ':name/:p1/:p2',
  ':name/:p1/:p2/:p3/:p4',
  ':name/:p1/:p2/:p3/:p4/:p5',
  ':name/:p1/:p2/:p3/:p4/:p5/:p6',
];

const EVENTS = 'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: [DONE]\n\n';

const ANY = { type: 'object', additionalProperties: true } as const;

/**
 * Forwards calls to providers in the providers' own formats. Reads the body itself instead of using the body guard,
 * because bodies are larger here and are forwarded byte for byte.
 */
@Controller({ path: 'gateway', version: VERSION_NEUTRAL })
@SetMetadata(GOVERNANCE_ROUTE, true)
@UseFilters(GatewayErrorFilter)
@UseGuards(ApiKeyGuard, AccessGuard)
@ApiTags('Gateway')
export class GatewayController {
  constructor(private readonly gateway: GatewayService) {}

  @RefusesAsProvider()
  @Post(':name/:path')
  @Requires('gateway:call', { unlimited: true })
  @ApiOperation({
    operationId: 'callProvider',
    summary: 'Call a provider with its own paths, governed',
    description:
      'Give an SDK this URL as its base URL and a token of this service as its key (`Authorization: Bearer` or ' +
      '`x-api-key`). OpenAI: `/v1/chat/completions`, `/v1/completions`, `/v1/responses`, `/v1/embeddings`, `/v1/models`. ' +
      'Anthropic: `/v1/messages`, `/v1/messages/count_tokens`, `/v1/models`. Use GET to list models. Bodies and answers ' +
      'have the provider’s format, also errors of this service: 402 if a budget has no room, 403 if a policy or a missing ' +
      'approval (`approval_required`) is in the way.',
  })
  @ApiParam({ name: 'name', description: 'Name of the provider.', schema: { type: 'string', example: 'openai' } })
  @ApiParam({
    name: 'path',
    description: 'The provider’s own path; do not escape its slashes.',
    schema: { type: 'string', example: 'v1/chat/completions' },
  })
  @ApiHeader({
    name: 'X-Governance-User',
    required: false,
    description: 'Email address or id of the person. Required if the token belongs to a program.',
    schema: { type: 'string', example: 'ada@example.com' },
  })
  @ApiBody({ schema: ANY, description: 'As the provider documents it; at most 10 MiB.' })
  @ApiResponse({
    status: 200,
    description: 'The provider’s answer.',
    headers: { 'X-Governance-Decision-Id': { description: 'Id of the decision.', schema: { type: 'string' } } },
    content: {
      'application/json': { schema: ANY },
      'text/event-stream': { schema: { type: 'string' }, example: EVENTS },
    },
  })
  call(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    return this.pass(actor, request, response);
  }

  /**
   * Claude Code calls this route without a credential when it starts. The response contains no information about the
   * provider.
   */
  @Head(':name/api/hello')
  @Open()
  @ApiExcludeEndpoint()
  greet(): void {
    // Responds with an empty body.
  }

  @All(PATHS)
  @ApiExcludeEndpoint()
  @Requires('gateway:call', { unlimited: true })
  callAtPath(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    return this.pass(actor, request, response);
  }

  /** Route for the models of a compatible provider whose paths contain no version. */
  @Get(':name/:path')
  @ApiExcludeEndpoint()
  @Requires('gateway:call', { unlimited: true })
  readAtPath(@CurrentActor() actor: Actor, @Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    return this.pass(actor, request, response);
  }

  private pass(actor: Actor, request: HttpRequest, response: HttpResponse): Promise<void> {
    const route = request.route?.path ?? request.routeOptions?.url;
    const url = (request.raw ?? request).url ?? '';
    const path = typeof route === 'string' ? readGatewayPath(url, route) : undefined;
    if (!path) throw gatewayErrors.noPath();
    return this.gateway.pass(actor, path, request, response);
  }
}
