import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { eventsOf, stageOn, type Stage } from './incidents.support.js';

const REPLICAS = 4;
const ROUNDS = 25;

let apps: TestApp[];
let first: TestApp;

beforeAll(async () => {
  first = await startTestApp();
  apps = [first];
  while (apps.length < REPLICAS) {
    apps.push(await startTestApp({ testDatabase: first.database, orgId: first.orgId, time: first.clock }));
  }
});

afterAll(async () => {
  for (const app of apps?.toReversed() ?? []) await app.close();
});

/**
 * Checks what must hold for every order of events: no violation is lost or counted twice, and at most one incident is
 * unresolved.
 */
async function expectSound({ orgId, incidents }: Stage, violations: number): Promise<void> {
  const found = await incidents();
  const unresolved = found.filter(({ status }) => status !== 'resolved');
  expect(unresolved.length).toBeLessThanOrEqual(1);
  const counted = new Map<string, number>(found.map(({ id, occurrences }) => [id, occurrences]));
  expect([...counted.values()].reduce((sum, count) => sum + count, 0)).toBe(violations);
  const rows = await first.database.asOwner<{ incident_id: string; count: number }>(
    `select incident_id, count(*)::int as count from governance.incident_occurrences where org_id = $1 group by 1`,
    [orgId],
  );
  expect(new Map(rows.map(row => [row.incident_id, row.count]))).toEqual(counted);
  const told = Map.groupBy(await eventsOf(first, orgId), ({ data }) => data.alert_id as string);
  expect(new Map([...told].map(([id, events]) => [id, events.length]))).toEqual(counted);
}

describe('on four replicas at once', () => {
  it('resolutions and new violations leave at most one unresolved incident, and lose nothing', async () => {
    const stage = await stageOn(first);
    const calls = apps.map(app => app.as(stage.token));
    await stage.violate();
    let violations = 1;
    let resolved = 0;
    for (let round = 0; round < ROUNDS; round++) {
      first.clock.advance(1);
      const [latest] = await stage.incidents('&status=open');
      const violating = calls.flatMap(call => [stage.violate(call), stage.violate(call)]);
      const resolving = latest
        ? calls.map(call => call('PATCH', `/v1/incidents/${latest.id}`, { status: 'resolved' }))
        : [];
      violations += (await Promise.all(violating)).length;
      const answers = (await Promise.all(resolving)).map(({ status }) => status);
      // One replica resolves the incident, and all others get a conflict.
      expect(answers.toSorted((a, b) => a - b)).toEqual(latest ? [200, 409, 409, 409] : []);
      resolved += latest ? 1 : 0;
    }
    // Enough rounds resolved an incident, so the requests did collide.
    expect(resolved).toBeGreaterThan(ROUNDS / 2);
    expect((await stage.incidents()).length).toBeGreaterThan(ROUNDS / 2);
    await expectSound(stage, violations);
  });

  it('violations after a quiet hour open one incident', async () => {
    const stage = await stageOn(first);
    const calls = apps.map(app => app.as(stage.token));
    await stage.violate();
    for (let hour = 1; hour <= 5; hour++) {
      first.clock.advance(3_600_001);
      await Promise.all([...calls, ...calls].map(call => stage.violate(call)));
      const found = await stage.incidents();
      expect(found).toHaveLength(hour + 1);
      expect(found[0]).toMatchObject({ occurrences: calls.length * 2, follows: found[1].id });
    }
    await expectSound(stage, 1 + 5 * calls.length * 2);
  });

  it('changes of one incident are serialized: of two acknowledgements one is refused', async () => {
    const stage = await stageOn(first);
    await stage.violate();
    const [{ id }] = await stage.incidents();
    const answers = await Promise.all(
      apps.map(app => app.as(stage.token)('PATCH', `/v1/incidents/${id}`, { status: 'acknowledged' })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const { timeline } = (await stage.call('GET', `/v1/incidents/${id}`)).body;
    expect(timeline.filter(({ kind }: { kind: string }) => kind === 'status')).toHaveLength(1);
  });
});
