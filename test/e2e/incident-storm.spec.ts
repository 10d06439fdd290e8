import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { stageOn } from './incidents.support.js';

const VIOLATIONS = 10_000;
const PER_BATCH = 100;
const AT_ONCE = 4;

let apps: TestApp[];

beforeAll(async () => {
  const first = await startTestApp();
  apps = [first, await startTestApp({ testDatabase: first.database, orgId: first.orgId, time: first.clock })];
});

afterAll(async () => {
  for (const app of apps?.toReversed() ?? []) await app.close();
});

describe('a storm of violations of one policy by one user', () => {
  it('within a minute creates 10,000 events and one incident with 10,000 occurrences', async () => {
    const [first] = apps as [TestApp];
    const { orgId, token, userId, incidents, call } = await stageOn(first);
    const requests = Array.from({ length: PER_BATCH }, () => ({
      user_id: userId,
      provider: 'openai',
      model: 'gpt-4o',
    }));
    const began = performance.now();
    let batches = VIOLATIONS / PER_BATCH;
    const send = async (app: TestApp) => {
      while (batches-- > 0) {
        const { status } = await app.as(token)('POST', '/v1/decisions/batch', { requests });
        expect(status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(apps[at % apps.length]!)));
    expect(performance.now() - began).toBeLessThan(60_000);
    const found = await incidents();
    expect(found).toMatchObject([{ status: 'open', occurrences: VIOLATIONS }]);
    const [counts] = await first.database.asOwner(
      `select (select count(*)::int from governance.events where org_id = $1) as events,
         (select count(distinct convert_from(body, 'UTF8')::jsonb #>> '{data,alert_id}')::int from governance.events
          where org_id = $1) as alerts,
         (select count(*)::int from governance.incident_occurrences where org_id = $1 and incident_id = $2) as occurrences`,
      [orgId, found[0].id],
    );
    expect(counts).toEqual({ events: VIOLATIONS, alerts: 1, occurrences: VIOLATIONS });
    const { total_count } = (await call('GET', `/v1/incidents/${found[0].id}/timeline?limit=1`)).body;
    expect(total_count).toBeGreaterThanOrEqual(VIOLATIONS);
  });
});
