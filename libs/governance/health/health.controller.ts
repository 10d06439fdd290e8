import { Controller, Get, HttpStatus, Inject, Res, SetMetadata, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { GOVERNANCE_ROUTE } from '#access';
import { GovernanceHealth, HealthDto } from './governance-health.js';

interface StatusSetter {
  status(code: number): unknown;
}

/** Probes for load balancers and orchestrators; no credential. */
@Controller({ path: 'health', version: VERSION_NEUTRAL })
@SetMetadata(GOVERNANCE_ROUTE, true)
@ApiTags('Health')
export class HealthController {
  constructor(@Inject(GovernanceHealth) private readonly health: GovernanceHealth) {}

  @Get('live')
  @ApiOperation({ operationId: 'getLiveness', summary: 'Whether the process is up' })
  @ApiOkResponse({ type: HealthDto, description: 'It is.' })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether requests can be served' })
  @ApiOkResponse({ type: HealthDto, description: 'They can.' })
  @ApiResponse({ status: 503, type: HealthDto, description: 'Something that answers need is missing.' })
  async ready(@Res({ passthrough: true }) response: StatusSetter): Promise<HealthDto> {
    const health = await this.health.check();
    if (health.status !== 'ok') response.status(HttpStatus.SERVICE_UNAVAILABLE);
    return health;
  }
}
