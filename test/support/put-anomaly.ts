import type { FoundAnomaly } from '#anomalies';
import { OrgDatabase } from '#database';
import { AnomalyLedger } from '../../libs/anomalies/record/anomaly-ledger.js';
import type { TestApp } from './test-app.js';

/** Inserts an anomaly of a user, as the detection does. Returns its id. */
export async function putAnomaly(app: TestApp, orgId: string, userId: string): Promise<string> {
  const windowStart = app.clock.now();
  const windowEnd = new Date(windowStart.getTime() + 86_400_000);
  const found: FoundAnomaly = {
    kind: 'usage_spike',
    severity: 'medium',
    userId,
    model: null,
    metric: 'requests',
    rule: 'total',
    observed: 400,
    expectedLow: 0,
    expectedHigh: 60,
    windowStart,
    windowEnd,
    historyDays: 28,
    strength: 2,
    series: [],
  };
  const database = app.app.get(OrgDatabase);
  await database.transaction(orgId, em => app.app.get(AnomalyLedger, { strict: false }).raise(em, orgId, [found], 2));
  const [row] = await app.database.asOwner<{ id: string }>(
    'select id from governance.anomalies where org_id = $1 order by id desc limit 1',
    [orgId],
  );
  if (!row) throw new Error('no anomaly was raised');
  return row.id;
}
