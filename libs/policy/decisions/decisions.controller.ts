import { Body, Get, HttpCode, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerWriter,
  ApiPage,
  CurrentActor,
  GovernanceController,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
  type HttpResponse,
} from '#access';
import type { Page } from '#core';
import { batchAnswer } from './batch-answer.js';
import type { Decision } from '../records/decision.js';
import { IdempotencyKeyReusedError } from '../records/repeated-decisions.js';
import { callerOf } from './decision-caller.js';
import { DecisionLog, type RecordedDecision } from '../records/decision-log.js';
import { DecisionBatchResponseDto, DecisionResponseDto, ReleaseResponseDto } from './decision-response.dto.js';
import { DecisionQueryDto, readDecisionQuery } from './decision-query.dto.js';
import { DecisionBatchRequestDto, DecisionRequestDto, RecordedDecisionDto } from './decision.dto.js';
import { DecisionService } from './decision.service.js';
import { ReleaseService, type ReleasedSpend } from './release.service.js';
import { parseDecision, parseDecisionBatch } from './parse-decision.js';

const BATCH_MEANING =
  'Requests with the same idempotency_key and content are decided once. If a key is reused with other content, ' +
  'also within one batch, the answer is 409 and no request of the batch is decided.';
const KEY_REUSED = new IdempotencyKeyReusedError().message;

/**
 * HTTP routes of decisions. Gateways call them for every model request, so the rate limit of management routes does
 * not apply.
 */
@GovernanceController('v1/decisions', 'Decisions')
export class DecisionsController {
  constructor(
    private readonly decisions: DecisionService,
    private readonly log: DecisionLog,
    private readonly releases: ReleaseService,
    private readonly answers: AnswerWriter,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @ApiOperation({ operationId: 'decide', summary: 'Decide whether a person may use a model' })
  @ApiBody({ type: DecisionRequestDto })
  @ApiOkResponse({
    type: DecisionResponseDto,
    description: 'The decision. A refusal is also answered with this status.',
  })
  @Refuses(400, [409, KEY_REUSED], 413, 415)
  decide(@CurrentActor() actor: Actor, @Body() body: unknown): Promise<Decision> {
    return this.decisions.decide(actor.orgId, parseDecision(body), { caller: callerOf(actor) });
  }

  @Post('batch')
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @ApiOperation({ operationId: 'decideBatch', summary: 'Decide up to 100 requests', description: BATCH_MEANING })
  @ApiBody({ type: DecisionBatchRequestDto })
  @ApiOkResponse({
    type: DecisionBatchResponseDto,
    description: 'One decision per request, in the order of the requests.',
  })
  @Refuses(400, [409, KEY_REUSED], 413, 415)
  async decideBatch(@CurrentActor() actor: Actor, @Body() body: unknown, @Res() response: HttpResponse): Promise<void> {
    const decisions = await this.decisions.decideAll(actor.orgId, parseDecisionBatch(body), callerOf(actor));
    this.answers.write(response, batchAnswer(decisions));
  }

  @Post(':id/release')
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @ApiOperation({
    operationId: 'releaseReservation',
    summary: 'Release the budget reservation of a decision',
    description: 'Use it if you did not make the call. A repetition changes nothing.',
  })
  @ApiOkResponse({ type: ReleaseResponseDto, description: 'The released amount.' })
  @Refuses(404)
  release(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<ReleasedSpend> {
    return this.releases.release(actor.orgId, id);
  }

  @Get()
  @Requires('decisions:read')
  @ApiOperation({
    operationId: 'listDecisions',
    summary: 'List recorded decisions, the newest first unless `sort` says otherwise',
    description: 'If allowed decisions are sampled, `sample_rate` of their records is below 1.',
  })
  @ApiPage(RecordedDecisionDto)
  @Refuses(400)
  list(@CurrentActor() actor: Actor, @Query() query: DecisionQueryDto): Promise<Page<RecordedDecision>> {
    return this.log.list(actor.orgId, readDecisionQuery(query));
  }

  @Get(':id')
  @Requires('decisions:read')
  @ApiOperation({
    operationId: 'getDecision',
    summary: 'Get a recorded decision',
    description:
      'Records expire after the retention period, and allowed decisions may be sampled. If there is no record, the ' +
      'message names the possible reasons.',
  })
  @ApiOkResponse({ type: RecordedDecisionDto, description: 'The decision and its inputs.' })
  @Refuses(404)
  get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<RecordedDecision> {
    return this.log.get(actor.orgId, id);
  }
}
