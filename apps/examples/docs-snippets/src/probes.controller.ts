import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { GovernanceHealth, type HealthDto } from 'nest-llm-governance';

/** A health probe of the host itself. */
@Controller('probes')
export class ProbesController {
  constructor(private readonly governance: GovernanceHealth) {}

  @Get('ready')
  async ready(): Promise<HealthDto> {
    const health = await this.governance.check();
    if (health.status !== 'ok') throw new ServiceUnavailableException(health);
    return health;
  }
}
