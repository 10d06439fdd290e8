import { metrics, type ObservableResult } from '@opentelemetry/api';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, METER } from '#core';
import { OrgDatabase, SCHEMA } from '#database';

const WARNED = `select warned::float8, exceeded::float8 from ${SCHEMA}.spent_budgets($1)`;

/** OpenTelemetry metric of budgets that are warned or exceeded. */
@Injectable()
export class BudgetMetrics implements OnModuleDestroy {
  private readonly windows = metrics.getMeter(METER).createObservableGauge('governance.budgets.spent', {
    description: 'Budgets whose current window is warned or exceeded; the same on every replica',
    unit: '{budget}',
  });

  private readonly observe = (result: ObservableResult): Promise<void> => this.read(result);

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {
    this.windows.addCallback(this.observe);
  }

  onModuleDestroy(): void {
    this.windows.removeCallback(this.observe);
  }

  private async read(result: ObservableResult): Promise<void> {
    const now = this.clock.now().toISOString();
    const [row] = await this.database.global<{ warned: number; exceeded: number }>(WARNED, [now]);
    result.observe(row?.warned ?? 0, { 'governance.state': 'warned' });
    result.observe(row?.exceeded ?? 0, { 'governance.state': 'exceeded' });
  }
}
