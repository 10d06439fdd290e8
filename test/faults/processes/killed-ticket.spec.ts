import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { stageOn } from '../../e2e/incidents.support.js';
import {
  ACCOUNT,
  jiraPlatform,
  serviceNowPlatform,
  type Kind,
  type Platform,
} from '../../e2e/itsm/cases/platforms.support.js';
import { connect, makeDue } from '../../e2e/itsm/tickets.support.js';
import type { GovernedProcess } from '../../support/governed-process.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import { startInstance, type Instance } from '../../emulators/servicenow/instance.js';
import { moveTime, type MovedTime } from '../../support/moved-time.js';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { startBundledApp } from './bundled-app.js';
import { until } from './chance.js';
import { setStage, type Stage } from './stage.js';

/** Longer than the lease of a ticket. */
const LEASE_MS = 13_000;
/** Longer than the lease of a connector test. */
const WATCHED_MS = 121_000;
/** Delay of Jira's search index after a create. */
const INDEX_LAG_MS = 6_000;
/** The second search for an issue comes 15 seconds after the first one, in real time. */
const SEARCHED_TWICE_MS = 60_000;

let stage: Stage;
let time: MovedTime;
let servicenow: Instance;
let jira: Site;
let platforms: Record<Kind, Platform>;
let processes: Pick<GovernedProcess, 'hasEnded' | 'end'>[] = [];
/**
 * The running replica that the last passed test has left. The next test uses it, because a start takes a second of CPU
 * time.
 */
let survivor: GovernedProcess | undefined;

beforeAll(async () => {
  stage = await setStage();
  time = await moveTime(stage.app.database);
  const { authority } = stage;
  servicenow = await startInstance({ authority, account: ACCOUNT, now: () => new Date() });
  // On a busy machine, the first search may come after the index delay. `missedSearches` makes this search miss the
  // issue anyway.
  jira = await startSite({ authority, conditions: { indexLagMs: INDEX_LAG_MS, missedSearches: 1 } });
  platforms = { servicenow: serviceNowPlatform(servicenow), jira: jiraPlatform(jira) };
});

afterEach(async () => {
  for (const platform of Object.values(platforms)) platform.meets();
  // Otherwise a process of a failed test would handle the ticket of the next test, which kills only its own process.
  for (const each of processes) if (each !== survivor && !each.hasEnded()) await each.end('SIGKILL');
  processes = survivor ? [survivor] : [];
});

afterAll(async () => {
  await stage?.close();
  await servicenow?.close();
  await jira?.close();
});

async function bundledApp(): Promise<StandaloneProcess> {
  const app = await startBundledApp(stage);
  processes.push(app);
  return app;
}

/** The replica that the last test left, or a new one. */
async function replica(name: string): Promise<GovernedProcess> {
  const left = survivor;
  survivor = undefined;
  if (left) return left;
  const worker = await stage.worker({ name });
  processes.push(worker);
  return worker;
}

async function desk(platform = platforms.servicenow) {
  platform.quieten();
  const made = await stageOn(stage.app);
  await connect(made.call, platform.connector());
  const created = async () => (await made.call('GET', '/v1/itsm/tickets?limit=100&sync_state=created')).body.items;
  return { ...made, created };
}

describe('a process that is killed while it creates a ticket', () => {
  it.each([
    ['servicenow', 'first', 1],
    // The first search does not find the issue, because the index does not contain it yet.
    ['jira', 'second', 2],
  ] as const)(
    'leaves one ticket, which another process finds by its key: %s, by the %s search',
    async (kind, _, least) => {
      const platform = platforms[kind];
      const { violate, created, call } = await desk(platform);
      platform.meets('no answer');
      const first = await replica('First');
      await violate();
      await until('the platform has created it', 30_000, () => platform.there().length === 1);
      await first.end('SIGKILL');
      platform.meets();
      const [left] = (await call('GET', '/v1/itsm/tickets')).body.items;
      expect(left).toMatchObject({ sync_state: 'pending', external_ticket_id: null });
      await time.advance(LEASE_MS);
      const second = await replica('Second');
      await until('the ticket is known', SEARCHED_TWICE_MS, async () => (await created()).length === 1);
      const tickets = (await call('GET', '/v1/itsm/tickets')).body.items;
      expect(tickets).toMatchObject([{ id: left.id, sync_state: 'created', external_ticket_id: expect.any(String) }]);
      expect(platform.there()).toEqual([{ key: left.id, name: tickets[0].external_ticket_id }]);
      expect(platform.posts()).toHaveLength(1);
      expect(platform.searches().length).toBeGreaterThanOrEqual(least);
      survivor = second;
    },
  );

  it('leaves one ticket, also if a person deactivates the connector, retries and activates it again', async () => {
    const { violate, created, call } = await desk();
    const before = servicenow.incidents.length;
    servicenow.intercept(({ method }, perform) => {
      if (method !== 'POST') return undefined;
      perform();
      return { act: () => undefined };
    });
    const first = await replica('First');
    await violate();
    await until('the platform has created it', 10_000, () => servicenow.incidents.length > before);
    await first.end('SIGKILL');
    servicenow.intercept();
    const [ticket] = (await call('GET', '/v1/itsm/tickets')).body.items;
    const path = `/v1/itsm/connectors/${ticket.connector_id}`;
    await call('PATCH', path, { active: false });
    await time.advance(LEASE_MS);
    expect((await call('POST', `/v1/itsm/tickets/${ticket.id}/retry`)).status).toBe(202);
    await call('PATCH', path, { active: true });
    const second = await replica('Second');
    await until('the ticket is known', 15_000, async () => (await created()).length === 1);
    expect(servicenow.incidents.slice(before)).toMatchObject([{ correlation_id: ticket.id }]);
    survivor = second;
  });

  it('leaves a ticket that another process creates if the request never arrived', async () => {
    const { violate, created, orgId } = await desk();
    const before = servicenow.incidents.length;
    let hasBegun = false;
    servicenow.intercept(({ method }) => {
      if (method !== 'POST') return undefined;
      hasBegun = true;
      return { act: () => undefined };
    });
    const first = await replica('First');
    await violate();
    await until('the request is there', 10_000, () => hasBegun);
    await first.end('SIGKILL');
    servicenow.intercept();
    await time.advance(LEASE_MS);
    const second = await replica('Second');
    // The ticket is created again after three searches. Makes each search due at once.
    await until('the ticket is known', 15_000, async () => {
      await makeDue(stage.app, orgId);
      return (await created()).length === 1;
    });
    expect(servicenow.incidents.length).toBe(before + 1);
    survivor = second;
  });
});

describe('a process that is killed while it tests a connector', () => {
  it('leaves one test ticket, which another process finds by its key', async () => {
    const made = await stageOn(stage.app);
    const settings = { instance_url: servicenow.origin };
    const { id } = await connect(made.call, { kind: 'servicenow', settings, secrets: ACCOUNT });
    const before = servicenow.incidents.length;
    servicenow.intercept(({ method }, perform) => {
      if (method !== 'POST') return undefined;
      perform();
      return { act: () => undefined };
    });
    const bundled = await bundledApp();
    const authorization = `Bearer ${made.token}`;
    const asked = fetch(`${bundled.url}/v1/itsm/connectors/${id}/test`, { method: 'POST', headers: { authorization } });
    const answered = asked.then(
      () => 'answered',
      () => 'cut',
    );
    await until('the platform has created it', 10_000, () => servicenow.incidents.length > before);
    await bundled.end('SIGKILL');
    expect(await answered).toBe('cut');
    servicenow.intercept();
    const [left] = (await made.call('GET', '/v1/itsm/tickets')).body.items;
    expect(left).toMatchObject({ origin: 'test', sync_state: 'pending', external_ticket_id: null });
    await time.advance(WATCHED_MS);
    const worker = await replica('Third');
    const created = async () => (await made.call('GET', '/v1/itsm/tickets?sync_state=created')).body.items;
    await until('the ticket is known', 15_000, async () => (await created()).length === 1);
    const [ticket] = await created();
    expect(servicenow.incidents.slice(before)).toMatchObject([
      { number: ticket.external_ticket_id, correlation_id: left.id },
    ]);
    survivor = worker;
  });
});

describe('two processes that create tickets', () => {
  it('create each ticket once', async () => {
    const { violate, created } = await desk();
    const before = servicenow.incidents.length;
    const workers = await Promise.all([replica('Left'), replica('Right')]);
    for (let at = 0; at < 40; at += 8) {
      await Promise.all(Array.from({ length: 8 }, (_, n) => violate(undefined, { model: `m-${at + n}` })));
    }
    await until('all are there', 20_000, async () => (await created()).length === 40);
    const keys = servicenow.incidents.slice(before).map(({ correlation_id: key }) => key);
    expect([keys.length, new Set(keys).size]).toEqual([40, 40]);
    for (const worker of workers) await worker.end('SIGTERM');
    expect(stage.complaints()).toEqual([]);
  });
});
