import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { CurrentActor, dtoOf, f, GovernanceController, Requires, type Actor } from '#access';
import { OpenPasses, type OpenPassReport } from '../open-passes.js';

/** Number of calls that passed without a decision. */
@ApiSchema({ name: 'GovernanceOpenPassesDto' })
export class OpenPassesDto
  extends dtoOf({
    passes: f.decimal(12, 'Calls that passed without governance since this process started.', { minimum: 0 }),
    first_at: f.instant('2026-11-20T13:00:00.000Z').nullable(),
    last_at: f.instant('2026-11-20T13:04:00.000Z').nullable(),
    last_reason: f
      .text('decision: Budgets cannot be checked at present.', 'The failed step of the last such call, and the reason.')
      .nullable(),
  })
  implements OpenPassReport {}

/** HTTP routes of calls that passed during an outage. */
@GovernanceController('v1/calls', 'Calls')
export class OpenPassesController {
  constructor(private readonly passes: OpenPasses) {}

  @Get('open-passes')
  @Requires('decisions:read')
  @ApiOperation({
    operationId: 'getOpenPasses',
    summary: 'Show how many calls passed without governance',
    description:
      'If the option calls.onUnavailable is allow, calls pass while governance cannot decide or record. The answer is about ' +
      'one process; the metric governance.calls.open_passes counts all. Usage that could be recorded later has open_pass ' +
      'in its metadata.',
  })
  @ApiOkResponse({ type: OpenPassesDto, description: 'Calls that passed in the process that answers.' })
  show(@CurrentActor() actor: Actor): OpenPassesDto {
    return this.passes.of(actor.orgId);
  }
}
