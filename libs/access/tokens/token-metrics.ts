import { metrics, type ObservableResult } from '@opentelemetry/api';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, METER } from '#core';
import { OrgDatabase, SCHEMA } from '#database';

/** Days before expiry from which a token counts as expiring soon. */
const SOON_DAYS = 7;
const DAY_MS = 86_400_000;

const EXPIRING = `select ${SCHEMA}.expiring_tokens($1, $2)::float8 as tokens`;

/** OpenTelemetry gauge of the tokens that expire soon. */
@Injectable()
export class TokenMetrics implements OnModuleDestroy {
  private readonly expiring = metrics.getMeter(METER).createObservableGauge('governance.tokens.expiring', {
    description: 'Tokens in use that expire within seven days; the same on every replica',
    unit: '{token}',
  });

  private readonly observe = (result: ObservableResult): Promise<void> => this.read(result);

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {
    this.expiring.addCallback(this.observe);
  }

  onModuleDestroy(): void {
    this.expiring.removeCallback(this.observe);
  }

  private async read(result: ObservableResult): Promise<void> {
    const now = this.clock.now();
    const soon = new Date(now.getTime() + SOON_DAYS * DAY_MS);
    const [row] = await this.database.global<{ tokens: number }>(EXPIRING, [now.toISOString(), soon.toISOString()]);
    result.observe(row?.tokens ?? 0);
  }
}
