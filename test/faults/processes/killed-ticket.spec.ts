import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { stageOn } from '../../e2e/incidents.support.js';
import { connect, hurry } from '../../e2e/itsm/tickets.support.js';
import { startServiceNow, type ServiceNowEmulator } from '../../support/itsm/servicenow-emulator.js';
import { moveTime, type MovedTime } from '../../support/moved-time.js';
import { startBundledApp } from './bundled-app.js';
import { until } from './chance.js';
import { setStage, type Stage } from './stage.js';

const ACCOUNT = { username: 'svc-governance', password: 'a password of this test' };
/** Longer than the lease of a ticket. */
const LEASE_MS = 13_000;
/** Longer than a test of a connector is left to whoever began it. */
const WATCHED_MS = 121_000;

let stage: Stage;
let time: MovedTime;
let servicenow: ServiceNowEmulator;

beforeAll(async () => {
  stage = await setStage();
  time = await moveTime(stage.app.database);
  servicenow = await startServiceNow({ authority: stage.authority, ...ACCOUNT });
});

afterEach(() => servicenow.intercept());

afterAll(async () => {
  await stage?.close();
  await servicenow?.close();
});

async function desk() {
  const made = await stageOn(stage.app);
  const settings = { instance_url: servicenow.origin };
  await connect(made.call, { kind: 'servicenow', settings, secrets: ACCOUNT });
  const created = async () => (await made.call('GET', '/v1/itsm/tickets?limit=100&sync_state=created')).body.items;
  return { ...made, created };
}

describe('a process that is killed while it creates a ticket', () => {
  it('leaves one ticket, which another process finds by its key', async () => {
    const { violate, created } = await desk();
    let isThere = false;
    servicenow.intercept(({ method }, perform) => {
      if (method !== 'POST') return undefined;
      perform();
      isThere = true;
      // The answer never comes.
      return { act: () => undefined };
    });
    const first = await stage.worker({ name: 'First' });
    await violate();
    await until('the platform has created it', 10_000, () => isThere);
    await first.end('SIGKILL');
    servicenow.intercept();
    await time.advance(LEASE_MS);
    const second = await stage.worker({ name: 'Second' });
    await until('the ticket is known', 15_000, async () => (await created()).length === 1);
    const [ticket] = await created();
    expect(servicenow.incidents).toMatchObject([{ number: ticket.external_ticket_id, correlation_id: ticket.id }]);
    expect(servicenow.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await second.end('SIGTERM');
  });

  it('leaves one ticket, also where a person switches the connector off, retries and switches it on', async () => {
    const { violate, created, call } = await desk();
    const before = servicenow.incidents.length;
    servicenow.intercept(({ method }, perform) => {
      if (method !== 'POST') return undefined;
      perform();
      return { act: () => undefined };
    });
    const first = await stage.worker({ name: 'First' });
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
    const second = await stage.worker({ name: 'Second' });
    await until('the ticket is known', 15_000, async () => (await created()).length === 1);
    expect(servicenow.incidents.slice(before)).toMatchObject([{ correlation_id: ticket.id }]);
    await second.end('SIGTERM');
  });

  it('leaves a ticket that another process creates where the request never arrived', async () => {
    const { violate, created, orgId } = await desk();
    const before = servicenow.incidents.length;
    let hasBegun = false;
    servicenow.intercept(({ method }) => {
      if (method !== 'POST') return undefined;
      hasBegun = true;
      return { act: () => undefined };
    });
    const first = await stage.worker({ name: 'First' });
    await violate();
    await until('the request is there', 10_000, () => hasBegun);
    await first.end('SIGKILL');
    servicenow.intercept();
    await time.advance(LEASE_MS);
    const second = await stage.worker({ name: 'Second' });
    // After three searches, between which time passes.
    await until('the ticket is known', 15_000, async () => {
      await hurry(stage.app, orgId);
      return (await created()).length === 1;
    });
    expect(servicenow.incidents.length).toBe(before + 1);
    await second.end('SIGTERM');
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
    const bundled = await startBundledApp(stage);
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
    const worker = await stage.worker({ name: 'Third' });
    const created = async () => (await made.call('GET', '/v1/itsm/tickets?sync_state=created')).body.items;
    await until('the ticket is known', 15_000, async () => (await created()).length === 1);
    const [ticket] = await created();
    expect(servicenow.incidents.slice(before)).toMatchObject([
      { number: ticket.external_ticket_id, correlation_id: left.id },
    ]);
    await worker.end('SIGTERM');
  });
});

describe('two processes that open tickets', () => {
  it('open each ticket once', async () => {
    const { violate, created } = await desk();
    const before = servicenow.incidents.length;
    const workers = await Promise.all([stage.worker({ name: 'Left' }), stage.worker({ name: 'Right' })]);
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
