import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Requires, type Actor } from '#access';
import { OverviewResponseDto } from './overview.dto.js';
import { OverviewService } from './overview.service.js';

/** HTTP route of the overview. */
@GovernanceController('v1/overview', 'Dashboard')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get()
  @Requires([
    ...(['incidents:read', 'webhooks:read', 'itsm:read', 'budgets:read', 'approvals:read', 'anomalies:read'] as const),
    'usage:read:own',
  ])
  @ApiOperation({
    operationId: 'getOverview',
    summary: 'Get an overview of everything that needs attention',
    description:
      'Read from one snapshot. Each section needs its own scope (`incidents:read`, `webhooks:read`, `itsm:read`, ' +
      '`budgets:read`, `approvals:read`, `anomalies:read`, and `usage:read:own` for your own budgets); a section that ' +
      'you may not read is null.',
  })
  @ApiOkResponse({ type: OverviewResponseDto, description: 'The overview.' })
  get(@CurrentActor() actor: Actor): Promise<OverviewResponseDto> {
    return this.overview.of(actor);
  }
}
