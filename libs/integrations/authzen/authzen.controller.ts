import { Body, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, type Actor } from '#access';
import type { EvaluationAnswer } from './evaluation-answer.js';
import { EvaluationService, type BatchAnswer } from './evaluation.service.js';
import { EvaluationAnswerDto, EvaluationBatchAnswerDto, EvaluationBatchDto, EvaluationDto } from './evaluation.dto.js';

const KEY_REUSED = 'The idempotency_key belongs to another request.';

/** Access evaluations of the OpenID AuthZEN Authorization API 1.0, under the standard's paths. */
@GovernanceController('access/v1', 'AuthZEN')
export class AuthzenController {
  constructor(private readonly evaluations: EvaluationService) {}

  @Post('evaluation')
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @Refuses(400, [409, KEY_REUSED], 413, 415)
  @ApiOperation({
    operationId: 'decideAccess',
    summary: 'Evaluate an access request (AuthZEN 1.0)',
    description: 'Decides as `POST /v1/decisions` does, and is recorded like it. Unknown members are ignored.',
  })
  @ApiBody({ type: EvaluationDto })
  @ApiOkResponse({
    type: EvaluationAnswerDto,
    description: 'The decision. A refusal is also answered with this status.',
  })
  evaluate(@CurrentActor() actor: Actor, @Body() body: unknown): Promise<EvaluationAnswer> {
    return this.evaluations.evaluate(actor, body);
  }

  @Post('evaluations')
  @HttpCode(HttpStatus.OK)
  @Requires('decisions:write', { unlimited: true })
  @Refuses(400, [409, KEY_REUSED], 413, 415)
  @ApiExtraModels(EvaluationAnswerDto, EvaluationBatchAnswerDto)
  @ApiOperation({
    operationId: 'decideAccessBatch',
    summary: 'Evaluate up to 100 access requests (AuthZEN 1.0)',
    description:
      'A malformed evaluation gets a refusal at its position, with the error in its context. With ' +
      '`deny_on_first_deny` or `permit_on_first_permit`, evaluations after the one that ends the batch are not ' +
      'decided.',
  })
  @ApiBody({ type: EvaluationBatchDto })
  @ApiOkResponse({
    description: 'The decisions in the order of the evaluations; one decision if there are no `evaluations`.',
    schema: {
      anyOf: [{ $ref: getSchemaPath(EvaluationBatchAnswerDto) }, { $ref: getSchemaPath(EvaluationAnswerDto) }],
      example: { evaluations: [{ decision: true, context: { action: 'allow', reason: 'no_policy_matched' } }] },
    },
  })
  evaluateAll(@CurrentActor() actor: Actor, @Body() body: unknown): Promise<EvaluationAnswer | BatchAnswer> {
    return this.evaluations.evaluateAll(actor, body);
  }
}
