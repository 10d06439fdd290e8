import { Body, Delete, Get, Header, HttpCode, HttpStatus, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import { Clock, type Page } from '#core';
import { NO_HEALTH, WebhookHealth } from '../health/webhook-health.js';
import { WebhookListService } from '../health/webhook-list.service.js';
import { TooManyWebhooksError } from '../registrations/webhook.errors.js';
import { WebhookService } from '../registrations/webhook.service.js';
import {
  ChangeWebhookDto,
  WebhookWithSecretResponseDto,
  RegisterWebhookDto,
  RotateSecretDto,
  WebhookResponseDto,
  readWebhookBody,
} from './webhook.dto.js';
import { presentWithSecret, presentWebhook } from './webhook.presenter.js';

const NO_STORE = { 'Cache-Control': { description: 'Always `no-store`.', schema: { type: 'string' } } } as const;
const DEFAULT_OVERLAP_HOURS = 24;
const ELSEWHERE =
  'Other replicas follow within a tenth of a second, or within one second if notifications do not reach them. ' +
  'A running attempt is not cancelled.';

/** HTTP routes of webhooks (interface specification, section 4.8). */
@GovernanceController('v1/webhooks', 'Webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly lists: WebhookListService,
    private readonly health: WebhookHealth,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Requires('webhooks:read')
  @ApiOperation({ operationId: 'listWebhooks', summary: 'List webhooks, the newest first' })
  @ApiPage(WebhookResponseDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: PageQueryDto): Promise<Page<WebhookResponseDto>> {
    const now = this.clock.now();
    return this.lists.list(actor.orgId, query, (webhook, health) => presentWebhook(webhook, health, now));
  }

  @Post()
  // The answer contains a secret.
  @Header('Cache-Control', 'no-store')
  @Requires('webhooks:write')
  @ApiOperation({ operationId: 'registerWebhook', summary: 'Register a webhook' })
  @ApiBody({ type: RegisterWebhookDto })
  @ApiCreatedResponse({
    type: WebhookWithSecretResponseDto,
    description: 'The webhook with its signing secret. It receives events from now on.',
    headers: NO_STORE,
  })
  @Refuses(400, [409, new TooManyWebhooksError().message], 413, 415)
  async register(@CurrentActor() actor: Actor, @Body() body: unknown): Promise<WebhookWithSecretResponseDto> {
    const draft = readWebhookBody(RegisterWebhookDto, body);
    const { webhook, signingSecret } = await this.webhooks.register(actor, draft);
    return presentWithSecret(webhook, signingSecret, NO_HEALTH, this.clock.now());
  }

  @Get(':id')
  @Requires('webhooks:read')
  @ApiOperation({ operationId: 'getWebhook', summary: 'Get a webhook' })
  @ApiOkResponse({ type: WebhookResponseDto, description: 'The webhook, without its secret.' })
  @Refuses(404)
  async get(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<WebhookResponseDto> {
    const webhook = await this.webhooks.get(orgId, id);
    return presentWebhook(webhook, await this.health.of(orgId, id), this.clock.now());
  }

  @Patch(':id')
  @Requires('webhooks:write')
  @ApiOperation({
    operationId: 'updateWebhook',
    summary: 'Change fields of a webhook, pause it, resume it',
    description: `While \`enabled\` is false, no attempt begins, and deliveries wait. ${ELSEWHERE}`,
  })
  @ApiBody({ type: ChangeWebhookDto })
  @ApiOkResponse({ type: WebhookResponseDto, description: 'The webhook as it is now.' })
  @Refuses(400, 404, 413, 415)
  async change(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: unknown,
  ): Promise<WebhookResponseDto> {
    const patch = readWebhookBody(ChangeWebhookDto, body);
    const webhook = await this.webhooks.change(actor, id, patch);
    return presentWebhook(webhook, await this.health.of(actor.orgId, id), this.clock.now());
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('webhooks:write')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook for good',
    description: `Waiting deliveries are cancelled, and no attempt begins any more. ${ELSEWHERE}`,
  })
  @ApiNoContentResponse({ description: 'The webhook is deleted.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.webhooks.delete(actor, id);
  }

  @Post(':id/rotate-secret')
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ReadsBody({ optional: true })
  @Requires('webhooks:write')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the signing secret',
    description:
      'The new secret signs at once. Until `previous_secret_until`, a second header is signed with the previous secret; ' +
      'another rotation within that time replaces it. With `overlap_hours` 0, the previous secret signs no new ' +
      `attempts. ${ELSEWHERE}`,
  })
  @ApiBody({ type: RotateSecretDto, required: false })
  @ApiOkResponse({
    type: WebhookWithSecretResponseDto,
    description: 'The webhook with its new secret.',
    headers: NO_STORE,
  })
  @Refuses(400, 404, 413, 415)
  async rotateSecret(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: RotateSecretDto,
  ): Promise<WebhookWithSecretResponseDto> {
    const hours = body.overlap_hours ?? DEFAULT_OVERLAP_HOURS;
    const { webhook, signingSecret } = await this.webhooks.rotateSecret(actor, id, hours);
    return presentWithSecret(webhook, signingSecret, await this.health.of(actor.orgId, id), this.clock.now());
  }
}
