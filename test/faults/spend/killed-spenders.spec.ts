import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReservationExpiry } from '#usage';
import { moveTime } from '../../support/moved-time.js';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { IS_FULL, newChance, report, sleep, until } from '../processes/chance.js';
import { openGate, type PostgresGate } from '../processes/postgres-gate.js';
import { setStage, type Stage } from '../processes/stage.js';
import { decide, openMarket, overspent, setBudget, settle, startReplicas, windowsOf } from './market.js';

const REPLICAS = 4;
const CLIENTS = 24;
const KILLS = IS_FULL ? 60 : 3;
const KILLED_WITHIN_MS = 1_500;
/** A replica starts within seconds, on a busy machine within ten. */
const TIME_LIMIT_MS = IS_FULL ? 1_200_000 : 300_000;
const SLOW_MS = 10;
/** The amount is so small that calls without a report use it up. */
const ORGANIZATION_USD = 2;
const QUARTER_HOUR_MS = 15 * 60_000;

let stage: Stage;
let gate: PostgresGate;
const replicas: StandaloneProcess[] = [];

beforeAll(async () => {
  stage = await setStage();
  gate = await openGate(Number(new URL(stage.app.database.url).port));
});

afterAll(async () => {
  await Promise.all(replicas.map(replica => replica.end('SIGKILL')));
  await stage?.close();
  await gate?.close();
});

describe('replicas that are killed while they reserve and settle', () => {
  it(
    'never overspend, count every reported call once, and leave no reservations after they expire',
    async () => {
      const chance = newChance();
      report('chance', { seed: chance.seed });
      const time = await moveTime(stage.app.database);
      const users = await openMarket(stage, ['Sales', 'Sales', 'Research']);
      const { adminToken, database, orgId } = stage.app;
      await setBudget(stage, ORGANIZATION_USD, { scope: 'organization' });
      await setBudget(stage, 1.5, { scope: 'department', department: 'Sales' });
      await setBudget(stage, 0.75, { scope: 'user', user_id: users[0] });
      const databaseUrl = gate.urlFor(database.url);
      replicas.push(...(await startReplicas(stage, REPLICAS, databaseUrl)));

      const over = new AbortController();
      const seen = { allowed: 0, refused: 0, cut: 0, settled: 0, looks: 0 };
      const offences: object[] = [];
      const look = async (): Promise<void> => {
        while (!over.signal.aborted) {
          offences.push(...(await overspent(database, orgId)));
          seen.looks++;
          await sleep(25);
        }
      };
      const spend = async (client: number): Promise<void> => {
        const user = users[client % users.length]!;
        const any = (): StandaloneProcess => replicas[chance.below(replicas.length)]!;
        while (!over.signal.aborted) {
          const decision = await decide(any(), adminToken, user);
          if (!decision) seen.cut++;
          else if (!decision.allowed) seen.refused++;
          else {
            seen.allowed++;
            // One in ten calls has no report.
            if (chance.below(10) === 0) continue;
            const tokens = chance.below(3_000);
            // Sends the report again until a replica accepts it. Because of its id, it counts once.
            while (!(await settle(any(), adminToken, decision, user, tokens))) await sleep(20);
            seen.settled++;
          }
        }
      };
      const watching = look();
      const clients = Array.from({ length: CLIENTS }, (_, client) => spend(client));
      try {
        for (let kill = 0; kill < KILLS; kill++) {
          gate.slowDown(kill % 2 === 0 ? SLOW_MS : 0);
          await sleep(chance.below(KILLED_WITHIN_MS));
          const at = chance.below(REPLICAS);
          await replicas[at]!.end('SIGKILL');
          gate.slowDown(0);
          replicas[at] = (await startReplicas(stage, 1, databaseUrl))[0]!;
        }
        await until('a budget is used up', 30_000, () => seen.refused > 0);
      } finally {
        over.abort();
      }
      await Promise.all([...clients, watching]);

      expect(offences).toEqual([]);
      const held = await windowsOf(database, orgId);
      for (const { reserved, held: sum } of held) expect(reserved).toBeCloseTo(sum, 11);
      const [usage] = await database.asOwner<{ events: number; cost: number }>(
        `select count(*)::integer as events, coalesce(sum(cost_usd), 0)::float8 as cost
       from governance.usage_events where org_id = $1`,
        [orgId],
      );
      const ofOrganization = held.find(({ amount }) => amount === ORGANIZATION_USD)!;
      report('killed spenders', {
        ...seen,
        kills: KILLS,
        ...usage,
        spent: ofOrganization.spent,
        held: ofOrganization.held,
      });
      expect(usage!.events).toBe(seen.settled);
      expect(seen.refused).toBeGreaterThan(0);
      expect(ofOrganization.spent).toBeCloseTo(usage!.cost, 9);
      expect(ofOrganization.held).toBeGreaterThan(0);

      await time.advance(QUARTER_HOUR_MS + 1_000);
      await stage.app.app.get(ReservationExpiry).sweep();
      await until('nothing is held any more', 10_000, async () =>
        (await windowsOf(database, orgId)).every(({ reserved, held: sum }) => reserved === 0 && sum === 0),
      );
      const [left] = await database.asOwner<{ n: number }>(
        'select count(*)::integer as n from governance.reservations',
      );
      expect(left!.n).toBe(0);
    },
    TIME_LIMIT_MS,
  );
});
