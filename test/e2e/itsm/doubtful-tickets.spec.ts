import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CreateOutcome } from '#itsm';
import type { CreateScript, ScriptedAdapter } from '../../support/itsm/scripted-adapter.js';
import type { TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { deskStage, finish, makeDue, startDesk, type DeskStage } from './tickets.support.js';

let app: TestApp & { desk: ScriptedAdapter };
/** Functions that end the create requests for which the platform sends no answer. */
let letGo: ((outcome: CreateOutcome) => void)[] = [];

beforeAll(async () => {
  app = await startDesk();
});

beforeEach(async () => {
  await app.database.asOwner(`delete from governance.tasks where queue = 'itsm'`);
  app.desk.reset();
});

function letAllGo(): void {
  for (const answer of letGo) answer({ kind: 'uncertain', message: 'Too late.' });
  letGo = [];
}

afterEach(letAllGo);

afterAll(() => app?.close());

/** The platform creates the ticket and does not answer. */
const silent: CreateScript = ({ settings }, key, desk) => {
  desk.put(settings, key);
  return new Promise(answer => letGo.push(answer));
};

/** Simulates the death of the worker: its lease has expired, and nobody handles the answer to its request. */
async function loseWorker(orgId: string): Promise<void> {
  await app.database.asOwner(
    `update governance.tasks set lease_token = gen_random_uuid(), due_at = now() - interval '1 second'
     where org_id = $1 and lease_token is not null`,
    [orgId],
  );
  // Ends the hanging requests, because the connector begins no other request while one is hanging.
  letAllGo();
}

/** Waits until a create request has begun, and returns the ticket. */
async function underWay({ tickets }: DeskStage) {
  await until(async () => letGo.length === 1);
  return (await tickets())[0];
}

const pathOf = ({ connector }: DeskStage) => `/v1/itsm/connectors/${connector.id}`;
const retry = ({ call }: DeskStage, { id }: { id: string }) => call('POST', `/v1/itsm/tickets/${id}/retry`);

describe('an idempotent create', () => {
  it.each(['strong', 'none'] as const)('is repeated after a lost answer, without a search (%s)', async sight => {
    const stage = await deskStage(app);
    Object.assign(app.desk, { sight, isIdempotent: true });
    app.desk.script = ({ settings }, key, desk) => {
      if (desk.creates > 2) return undefined;
      if (desk.creates === 1) desk.put(settings, key);
      return { kind: 'uncertain', message: 'The answer was lost.' };
    };
    await stage.violate();
    const [doubtful] = await stage.settled('uncertain');
    expect(doubtful).toMatchObject({ error: 'The answer was lost.' });
    await finish(app, stage.orgId);
    const [ticket] = await stage.settled('created');
    expect(ticket).toMatchObject({ id: doubtful.id, external_ticket_id: 'TKT-1', attempts: 3, degraded: [] });
    expect([app.desk.creates, app.desk.tickets.length, app.desk.searches]).toEqual([3, 1, []]);
    const rows = await app.database.asOwner('select unanswered from governance.tickets where id = $1', [doubtful.id]);
    expect(rows).toEqual([{ unanswered: 0 }]);
  });

  it('is repeated by another process, too, if the first ends', async () => {
    const stage = await deskStage(app);
    Object.assign(app.desk, { sight: 'none', isIdempotent: true });
    app.desk.script = silent;
    await stage.violate();
    await underWay(stage);
    app.desk.script = () => undefined;
    await loseWorker(stage.orgId);
    await finish(app, stage.orgId);
    expect(await stage.settled('created')).toHaveLength(1);
    expect([app.desk.tickets.length, app.desk.searches]).toEqual([1, []]);
  });
});

describe('an attempt whose process ends', () => {
  async function cut() {
    const stage = await deskStage(app);
    app.desk.script = silent;
    await stage.violate();
    const ticket = await underWay(stage);
    app.desk.script = () => undefined;
    return { ...stage, ticket };
  }

  it('leaves one ticket, also if a person retries while the connector is inactive', async () => {
    const { ticket, ...stage } = await cut();
    await stage.call('PATCH', pathOf(stage), { active: false });
    await loseWorker(stage.orgId);
    expect((await retry(stage, ticket)).status).toBe(202);
    await stage.call('PATCH', pathOf(stage), { active: true });
    expect(await stage.settled('created')).toMatchObject([{ external_ticket_id: 'TKT-1' }]);
    expect(app.desk.tickets).toHaveLength(1);
  });

  it('leaves one ticket that a worker finds', async () => {
    const { ticket, ...stage } = await cut();
    await loseWorker(stage.orgId);
    await makeDue(app, stage.orgId);
    expect(await stage.settled('created')).toMatchObject([{ id: ticket.id, external_ticket_id: 'TKT-1' }]);
    expect(app.desk.creates).toBe(1);
  });

  it('before any request leaves a ticket that is created without a search', async () => {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'retryable', message: 'Nobody is there.' });
    await stage.violate();
    await until(async () => (await stage.tickets()).find(({ attempts }) => attempts === 1));
    app.desk.script = () => undefined;
    await app.database.asOwner(
      `update governance.tasks set lease_token = gen_random_uuid(), due_at = now() - interval '1 second'
       where org_id = $1`,
      [stage.orgId],
    );
    await makeDue(app, stage.orgId);
    await stage.settled('created');
    expect(app.desk.searches).toEqual([]);
  });

  it('is not retried while it is running', async () => {
    const { ticket, ...stage } = await cut();
    const refused = await retry(stage, ticket);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('An attempt is running')]);
  });
});

describe('a test of a connector', () => {
  async function testing() {
    const stage = await deskStage(app);
    app.desk.script = silent;
    const answer = stage.call('POST', `${pathOf(stage)}/test`);
    return { ...stage, answer, ticket: await underWay(stage) };
  }

  it('refuses a retry of its ticket while it is running', async () => {
    const { answer, ticket, ...stage } = await testing();
    expect((await retry(stage, ticket)).status).toBe(409);
    letGo[0]?.({ kind: 'rejected', code: 'field', message: 'No.' });
    expect((await answer).body.ticket).toMatchObject({ sync_state: 'rejected' });
    expect((await retry(stage, ticket)).status).toBe(202);
    await stage.settled('created');
    expect([app.desk.creates, app.desk.tickets.length]).toEqual([1, 1]);
  });

  it('whose process ends leaves one ticket', async () => {
    const { ticket, ...stage } = await testing();
    app.desk.script = () => undefined;
    await makeDue(app, stage.orgId);
    expect(await stage.settled('created')).toMatchObject([{ id: ticket.id, external_ticket_id: 'TKT-1' }]);
    expect([app.desk.creates, app.desk.tickets.length]).toEqual([1, 1]);
  });
});

describe('a ticket that may exist', () => {
  /** Maximum duration of an attempt on a busy machine. Consecutive delays differ by more than this. */
  const BUSY_MS = 4_500;
  /**
   * The number of searches for one ticket. Others are left out, because the connector of an earlier test may still
   * search.
   */
  const searchesOf = (key: string): number => app.desk.searches.filter(each => each === key).length;

  /** Waits for a search, and returns the milliseconds to the next attempt. */
  async function searched({ tickets }: DeskStage, count: number): Promise<number> {
    const [{ id }] = await tickets();
    await until(async () => searchesOf(id) === count);
    const searchedAt = Date.now();
    const next = await until(async () => (await tickets())[0].next_attempt_at ?? undefined);
    return Date.parse(next) - searchedAt;
  }

  it('is searched for as often as usual when a person retries', async () => {
    const stage = await deskStage(app);
    app.desk.sight = 'eventual';
    // The index of the platform is late, so the first search does not find the ticket.
    app.desk.search = key => (searchesOf(key) < 4 ? [] : undefined);
    app.desk.script = ({ settings }, key, desk) => {
      desk.put(settings, key);
      return { kind: 'uncertain', message: 'Cut.' };
    };
    await stage.violate();
    const [ticket] = await stage.settled('uncertain');
    expect((await retry(stage, ticket)).status).toBe(202);
    for (const [count, waitMs] of [5_000, 15_000, 30_000].entries()) {
      expect(Math.abs((await searched(stage, count + 1)) - waitMs)).toBeLessThan(BUSY_MS);
      await makeDue(app, stage.orgId);
    }
    await stage.settled('created');
    expect([app.desk.creates, app.desk.tickets.length]).toEqual([1, 1]);
  });

  it('is searched for three times on a platform with complete searches, which may still be creating it', async () => {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'uncertain', message: 'Late.' });
    await stage.violate();
    const [ticket] = await stage.settled('uncertain');
    await makeDue(app, stage.orgId);
    expect(Math.abs((await searched(stage, 1)) - 8_000)).toBeLessThan(BUSY_MS);
    app.desk.put({ instance_url: '' }, ticket.id);
    await makeDue(app, stage.orgId);
    await stage.settled('created');
    expect([app.desk.creates, searchesOf(ticket.id)]).toEqual([1, 2]);
  });

  it('is created again twice and then waits for a person, if the platform hides all of its issues', async () => {
    const stage = await deskStage(app);
    app.desk.script = ({ settings }, key, desk) => {
      desk.put(settings, key);
      return { kind: 'uncertain', message: 'Cut.' };
    };
    app.desk.search = () => [];
    await stage.violate();
    await stage.settled('uncertain');
    await finish(app, stage.orgId);
    const [ticket] = await stage.tickets();
    expect(ticket).toMatchObject({
      sync_state: 'uncertain',
      error_code: 'uncertain',
      next_attempt_at: null,
      attempts: 3,
    });
    expect([app.desk.creates, searchesOf(ticket.id)]).toEqual([3, 9]);
    expect((await retry(stage, ticket)).status).toBe(202);
    await finish(app, stage.orgId);
    expect(app.desk.creates).toBe(4);
    expect((await stage.tickets())[0]).toMatchObject({ sync_state: 'uncertain', next_attempt_at: null });
  });

  it('names another issue that appears after it was created again', async () => {
    const stage = await deskStage(app);
    app.desk.script = (_, __, { creates }) => (creates === 1 ? { kind: 'uncertain', message: 'Late.' } : undefined);
    const both = [{ externalTicketId: 'TKT-LATE' }, { externalTicketId: 'TKT-1' }];
    app.desk.search = () => (app.desk.creates === 1 ? [] : both);
    await stage.violate();
    await stage.settled('uncertain');
    await finish(app, stage.orgId);
    const [ticket] = await stage.tickets();
    expect(ticket.degraded).toEqual(['The platform has another ticket with the same key: TKT-LATE.']);
    expect(ticket).toMatchObject({ external_ticket_id: 'TKT-1', sync_state: 'created', next_attempt_at: null });
    expect([app.desk.creates, searchesOf(ticket.id)]).toEqual([2, 4]);
  });
});

describe('a connector that is deleted while it creates a ticket', () => {
  it('leaves the ticket known, with its reports', async () => {
    const stage = await deskStage(app);
    app.desk.script = silent;
    await stage.violate();
    await underWay(stage);
    expect((await stage.call('DELETE', pathOf(stage))).status).toBe(204);
    letGo[0]?.({ kind: 'created', ref: { externalTicketId: 'TKT-1' } });
    await stage.settled('created');
    const report = { external_ticket_id: 'TKT-1', status: 'resolved' };
    const answer = await app.as(null)('POST', `/v1/integrations/itsm/webhook/${stage.orgId}`, report);
    expect(answer.status).toBe(200);
    expect(await stage.tickets()).toMatchObject([{ external_ticket_id: 'TKT-1', status: 'resolved' }]);
  });

  it('leaves the outcome unknown if the answer is lost', async () => {
    const stage = await deskStage(app);
    app.desk.script = silent;
    await stage.violate();
    await underWay(stage);
    await stage.call('DELETE', pathOf(stage));
    letGo[0]?.({ kind: 'uncertain', message: 'Cut.' });
    await stage.settled('uncertain');
    await makeDue(app, stage.orgId);
    expect(await stage.settled('rejected')).toMatchObject([
      { error_code: 'connector_removed', error: expect.stringContaining('look for it on the platform') },
    ]);
  });
});
