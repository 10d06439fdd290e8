import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ACCOUNT } from '../../e2e/itsm/cases/platforms.support.js';
import { connect } from '../../e2e/itsm/tickets.support.js';
import type { GovernedProcess } from '../../support/governed-process.js';
import { startInstance, type Instance } from '../../emulators/servicenow/instance.js';
import type { Answer } from '../../support/test-app.js';
import { IS_FULL, until } from './chance.js';
import { setStage, type Stage } from './stage.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REPLICAS = 4;
const PEOPLE = 24;
/** Number of rounds. A process is killed in each. */
const ROUNDS = IS_FULL ? 12 : 3;
const PER_ROUND = PEOPLE / 12;

let stage: Stage;
let servicenow: Instance;
const people: string[] = [];
const replicas = new Map<string, GovernedProcess>();

beforeAll(async () => {
  stage = await setStage();
  servicenow = await startInstance({ authority: stage.authority, account: ACCOUNT, now: () => new Date() });
  await stage.webhook();
  await connect(stage.app.call, {
    ...{ kind: 'servicenow', name: 'Desk', settings: { instance_url: servicenow.origin }, secrets: ACCOUNT },
  });
  await stage.app.call('PUT', '/v1/anomalies/settings', { organization_spikes: false });
});

afterAll(async () => {
  await stage?.close();
  await servicenow?.close();
});

async function start(name: string): Promise<void> {
  replicas.set(name, await stage.worker({ name, detects: true, databaseUrl: namedUrl(name) }));
}

function namedUrl(name: string): string {
  const url = new URL(stage.app.database.url);
  url.searchParams.set('application_name', name);
  return url.href;
}

/** A usage event with this many requests of a user, the given number of days ago. */
function usage(userId: string, daysAgo: number, requests: number): object {
  const at = new Date(Date.now() - daysAgo * DAY_MS - HOUR_MS);
  return {
    ...{ id: randomUUID(), user_id: userId, provider: 'openai', model: 'gpt-4o', requests },
    ...{ occurred_at: at.toISOString(), input_tokens: 10 * requests, output_tokens: 0, cost_usd: 0.001 * requests },
  };
}

async function report(events: object[]): Promise<void> {
  for (let at = 0; at < events.length; at += 1_000) {
    const { body } = await stage.app.call('POST', '/v1/usage/events', { events: events.slice(at, at + 1_000) });
    expect(body.rejected).toEqual([]);
  }
  // Lets the next pass begin at once.
  await stage.app.database.asOwner('update governance.anomaly_watches set passed_at = null');
}

const anomalies = async (): Promise<Answer['body'][]> =>
  (await stage.app.call('GET', '/v1/anomalies?limit=100')).body.items;

/** Blocks a replica that has written an anomaly's incident and event and is about to commit, and kills the replica. */
async function killAtWorkOn(happens: () => Promise<void>): Promise<void> {
  const gate = new pg.Client({ connectionString: stage.app.database.url });
  await gate.connect();
  try {
    await gate.query('begin');
    await gate.query('lock table governance.anomalies in share mode');
    await happens();
    let name = '';
    await until('a replica is about to raise an alarm', 30_000, async () => {
      const rows = await stage.app.database.asOwner<{ name: string }>(
        `select application_name as name from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ilike '%into governance.anomalies%'`,
      );
      name = rows[0]?.name ?? '';
      return name !== '';
    });
    await replicas.get(name)?.end('SIGKILL');
    await gate.query('rollback');
    await start(name);
  } finally {
    await gate.end();
  }
}

describe('four replicas that detect anomalies', () => {
  it('alarm once per episode at an endpoint and on a platform, although the active replica is killed and usage is late', async () => {
    for (let at = 0; at < PEOPLE; at++) {
      const { body } = await stage.app.call('POST', '/v1/users', { email: `p${at}@example.com`, name: 'Ada' });
      people.push(body.id);
    }
    const days = Array.from({ length: 28 }, (_, day) => day + 2);
    await report(people.flatMap(userId => days.map(day => usage(userId, day, 20 + (day % 5)))));
    const names = Array.from({ length: REPLICAS }, (_, at) => `Replica${at}`);
    await Promise.all(names.map(start));
    await until('all people are known', 60_000, async () => {
      const [row] = await stage.app.database.asOwner<{ known: number }>(
        'select count(*)::int as known from governance.anomaly_people',
      );
      return row?.known === PEOPLE;
    });

    const spiking: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const chosen = people.slice(round * PER_ROUND, (round + 1) * PER_ROUND);
      spiking.push(...chosen);
      // In every second round, the usage is reported a day late.
      await killAtWorkOn(() => report(chosen.map(userId => usage(userId, round % 2, 500))));
      await until('the round is alarmed about', 60_000, async () => (await anomalies()).length >= spiking.length);
    }
    const found = await anomalies();
    expect(found.map(({ user_id }) => String(user_id)).toSorted()).toEqual(spiking.toSorted());
    await stage.untilIdle(60_000);
    const told = stage.endpoint.requests
      .map(({ body }) => JSON.parse(body.toString('utf8')))
      .filter(({ type }) => type === 'anomaly_detected');
    // Counts events instead of deliveries, because a delivery may be repeated after its process was killed.
    const events = new Map(told.map(event => [event.id, String(event.data.user_id)]));
    expect([...events.values()].toSorted()).toEqual(spiking.toSorted());
    expect(servicenow.incidents).toHaveLength(spiking.length);
    const { body } = await stage.app.call('GET', '/v1/itsm/tickets?limit=100');
    expect(body.items).toHaveLength(spiking.length);
    for (const ticket of body.items) {
      expect(ticket).toMatchObject({
        sync_state: 'created',
        title: expect.stringMatching(/^\[Replica\d\] anomaly_detected: /),
      });
    }
  });
});
