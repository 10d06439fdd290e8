import { Body, Header, Headers, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOkResponse, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import {
  acceptsProgress,
  AlsoNeeds,
  AnswerWriter,
  CurrentActor,
  GovernanceController,
  PROGRESS_LINES,
  progressLines,
  Refuses,
  Requires,
  streamedAnswer,
  whileConnected,
  type Actor,
  type HttpRequest,
  type HttpResponse,
} from '#access';
import { UnavailableError } from '#core';
import { OperatorRegistry } from '../decide/index.js';
import { PolicySimulator, type SimulationProgress } from './policy-simulator.js';
import { readSimulationBody } from './simulation-body.js';
import { SimulationUnderWayError } from './simulation-slots.js';
import { SimulationRequestDto } from './simulation.dto.js';
import { SimulationResponseDto } from './simulation-response.dto.js';
import { presentSimulation } from './simulation.presenter.js';

const LINES_EXAMPLE =
  '{"progress":{"evaluated":0,"total_estimate":5120}}\n{"progress":{"evaluated":4000,"total_estimate":5120}}\n' +
  '{"result":{"evaluated":5120,"matched":40,"changed":38,"cost_usd":4.137}}\n';

/** HTTP routes of policy simulations. */
@GovernanceController('v1/policies', 'Policies')
export class SimulationController {
  constructor(
    private readonly simulator: PolicySimulator,
    private readonly operators: OperatorRegistry,
    private readonly answers: AnswerWriter,
  ) {}

  @Post('simulate')
  @HttpCode(HttpStatus.OK)
  @Header('Vary', 'Accept')
  @Header('Cache-Control', 'no-store')
  @Requires('policies:read')
  // The response shows requests and costs of people, so it needs further scopes.
  @AlsoNeeds('decisions:read', 'usage:read')
  @ApiOperation({
    operationId: 'simulatePolicy',
    summary: 'Test a draft policy against the decisions and usage of the last days',
    description:
      'Evaluates every recorded decision twice: with the current policies, and with the draft. Uses the recorded ' +
      'attributes of people; ignores grants and budgets. Changes nothing and sends no alerts. ' +
      `As ${PROGRESS_LINES}, lines report progress, and the last line has the result; a stream without it has ` +
      'failed. Close the connection to cancel the simulation. One simulation per organization runs at a time.',
  })
  @ApiHeader({
    name: 'accept',
    required: false,
    description: `\`${PROGRESS_LINES}\` for progress lines.`,
    schema: { type: 'string', enum: ['application/json', PROGRESS_LINES] },
  })
  @ApiBody({ type: SimulationRequestDto })
  @ApiExtraModels(SimulationResponseDto)
  @ApiOkResponse({
    description: 'The effect that the policy would have had.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(SimulationResponseDto) } },
      [PROGRESS_LINES]: { schema: { type: 'string' }, example: LINES_EXAMPLE },
    },
  })
  @Refuses(400, 404, [409, new SimulationUnderWayError().message], 413, 415)
  async simulate(
    @CurrentActor() actor: Actor,
    @Body() body: unknown,
    @Req() request: HttpRequest,
    @Res() response: HttpResponse,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const asked = readSimulationBody(body, this.operators);
    const run = async (signal: AbortSignal, onProgress?: (progress: SimulationProgress) => void) =>
      presentSimulation(await this.simulator.simulate(actor.orgId, asked, { signal, onProgress }));
    if (!acceptsProgress(accept)) {
      this.answers.write(response, await whileConnected(request, gone, signal => run(signal)));
      return;
    }
    // Before the first line, a disconnect is detected on the connection; after it, on the stream.
    const lines = await whileConnected(request, gone, signal =>
      progressLines((left, onProgress) => {
        const told = ({ evaluated, totalEstimate }: SimulationProgress): void =>
          onProgress({ evaluated, total_estimate: totalEstimate });
        return run(AbortSignal.any([signal, left]), told);
      }, gone),
    );
    this.answers.write(response, streamedAnswer(lines, { type: `${PROGRESS_LINES}; charset=utf-8` }));
  }
}

function gone(): UnavailableError {
  return new UnavailableError('The client disconnected.');
}
