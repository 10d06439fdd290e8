import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ChangingAdapter } from '../../support/itsm/changing-adapter.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED, until } from '../../support/webhooks.js';
import { deskStage, makeDue, type DeskStage } from './tickets.support.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let app: TestApp;
let desk: ChangingAdapter;

beforeAll(async () => {
  app = await startTestApp({ ...LOOPBACK_ALLOWED, itsmAdapters: [ChangingAdapter] });
  desk = app.app.get(ChangingAdapter);
});

beforeEach(async () => {
  await app.database.asOwner(`delete from governance.tasks where queue like 'itsm%'`);
  desk.reset();
});

afterAll(() => app?.close());

interface ChangeStage extends DeskStage {
  incident(): Promise<{ id: string; [field: string]: unknown }>;
  ticket(): Promise<Record<string, unknown>>;
  /** Advances the time, and waits until nothing is due. */
  pass(milliseconds: number): Promise<void>;
  resolve(): Promise<void>;
  report(body: object): Promise<void>;
}

/** Waits until no task is due. Tasks for later stay. */
async function quiet(orgId: string): Promise<void> {
  await until(async () => {
    const due = await app.database.asOwner(
      `select 1 from governance.tasks where org_id = $1 and queue like 'itsm%'
       and (lease_token is not null or due_at <= governance.now())`,
      [orgId],
    );
    return due.length === 0;
  });
}

async function opened(): Promise<ChangeStage> {
  const stage = await deskStage(app);
  await stage.violate();
  await stage.settled('created');
  const pass = async (milliseconds: number) => {
    app.clock.advance(milliseconds);
    await makeDue(app, stage.orgId);
    await quiet(stage.orgId);
  };
  const incident = async () => (await stage.incidents())[0];
  return {
    ...stage,
    pass,
    incident,
    ticket: async () => (await stage.tickets())[0],
    resolve: async () => {
      const { id } = await incident();
      const { status } = await stage.call('PATCH', `/v1/incidents/${id}`, {
        status: 'resolved',
        resolution: 'Talked.',
      });
      expect(status).toBe(200);
      await quiet(stage.orgId);
    },
    report: async body => {
      const path = `/v1/integrations/itsm/webhook/${stage.orgId}`;
      const { status } = await app.as(null)('POST', path, body);
      expect(status).toBe(200);
    },
  };
}

const kinds = () => desk.changes.map(({ kind }) => kind);

describe('a ticket of an incident that occurs again', () => {
  it('gets one comment for all occurrences within half a minute, with their number', async () => {
    const { violate, pass, orgId } = await opened();
    for (let n = 0; n < 3; n++) await violate();
    await quiet(orgId);
    expect(desk.changes).toEqual([]);
    await pass(31_000);
    expect(desk.changes).toMatchObject([
      { kind: 'comment', ticket: 'TKT-1', repeated: false, text: expect.stringContaining('Seen 4 times') },
    ]);
    expect(desk.changes[0]?.text).toContain(desk.changes[0]?.key);
  });

  it('gets at most one comment an hour, and the next one has the latest number', async () => {
    const { violate, pass } = await opened();
    for (let minute = 0; minute < 150; minute += 10) {
      await violate();
      await pass(10 * MINUTE_MS);
    }
    const seen = desk.changes.map(({ text }) => /Seen (\d+) times/.exec(text)?.[1]);
    expect(seen.length).toBe(3);
    expect(seen.map(Number)).toEqual(seen.map(Number).toSorted((a, b) => a - b));
  });

  it('gets no comment without further occurrences', async () => {
    const { pass } = await opened();
    await pass(HOUR_MS);
    expect(desk.changes).toEqual([]);
  });
});

describe('a ticket of an incident whose severity rises', () => {
  it('is raised at once, and once', async () => {
    const stage = await opened();
    const policy = { name: 'Large models', action: 'block', severity: 'critical' };
    const made = await stage.call('PUT', `/v1/policies/${stage.policyId}`, policy);
    expect(made.status).toBe(200);
    await stage.violate();
    await quiet(stage.orgId);
    expect(desk.changes).toMatchObject([{ kind: 'priority', severity: 'critical', severityBefore: 'high' }]);
    await stage.pass(HOUR_MS);
    expect(kinds()).toEqual(['priority', 'comment']);
  });
});

describe('a ticket of an incident that is resolved', () => {
  it('is resolved once, with the resolution of the incident, and is shown as resolved', async () => {
    const stage = await opened();
    await stage.resolve();
    await stage.pass(HOUR_MS);
    expect(desk.changes).toMatchObject([{ kind: 'resolve', text: expect.stringContaining('Resolution: Talked.') }]);
    expect(await stage.ticket()).toMatchObject({ status: 'resolved' });
  });

  it('is not changed if people had resolved it before', async () => {
    const stage = await opened();
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved' });
    await stage.resolve();
    await stage.pass(HOUR_MS);
    expect(desk.changes).toEqual([]);
  });

  it('stays open if people reopen it afterwards', async () => {
    const stage = await opened();
    await stage.resolve();
    await stage.report({ external_ticket_id: 'TKT-1', status: 'in_progress' });
    await stage.pass(2 * HOUR_MS);
    expect(kinds()).toEqual(['resolve']);
    expect(await stage.ticket()).toMatchObject({ status: 'in_progress' });
  });

  it('is reopened for the next incident of the same kind, instead of a second one', async () => {
    const stage = await opened();
    await stage.resolve();
    // Ids grow with time, so the next ticket gets a greater id than the first.
    app.clock.advance(1_000);
    await stage.violate();
    await stage.settled('created', 2);
    expect(kinds()).toEqual(['resolve', 'reopen']);
    expect([desk.creates, desk.tickets.length]).toEqual([1, 1]);
    const [second, first] = await stage.tickets();
    expect(second).toMatchObject({ external_ticket_id: 'TKT-1', status: 'open', follows: first.id });
    // Resolving the new incident closes the ticket again.
    await stage.resolve();
    expect(kinds()).toEqual(['resolve', 'reopen', 'resolve']);
  });

  it('is closed for all its incidents if people close it while it is being reopened', async () => {
    const stage = await opened();
    await stage.resolve();
    app.clock.advance(1_000);
    desk.updateScript = async () => {
      const occurred_at = app.clock.now().toISOString();
      await stage.report({ external_ticket_id: 'TKT-1', status: 'closed', resolution: 'Done', occurred_at });
      return { kind: 'updated' };
    };
    await stage.violate();
    await stage.settled('created', 2);
    expect((await stage.tickets()).map(({ status, resolution }) => [status, resolution])).toEqual([
      ['closed', 'Done'],
      ['closed', 'Done'],
    ]);
  });

  it('has one key for all its incidents if people moved it, whichever change notices that', async () => {
    const stage = await opened();
    const platformId = 'p-TKT-1';
    await stage.resolve();
    app.clock.advance(1_000);
    const url = 'https://desk.example.com/OPS-1';
    desk.updateScript = () => ({ kind: 'updated', ref: { externalTicketId: 'OPS-1', platformId, url } });
    await stage.violate();
    await stage.settled('created', 2);
    const shown = async () =>
      (await stage.tickets()).map(({ external_ticket_id: name, status }) => `${name} ${status}`);
    expect(await shown()).toEqual(['OPS-1 open', 'OPS-1 open']);
    desk.updateScript = () => ({ kind: 'updated', ref: { externalTicketId: 'OPS-2', platformId, url } });
    await stage.resolve();
    expect(await shown()).toEqual(['OPS-2 resolved', 'OPS-2 resolved']);
    expect(kinds()).toEqual(['resolve', 'reopen', 'resolve']);
  });

  it('is not reopened if people declined it: the next incident gets a new ticket, which names the old one', async () => {
    const stage = await opened();
    await stage.report({ external_ticket_id: 'TKT-1', status: 'closed', resolution: "Won't Do" });
    await stage.resolve();
    // Newer tickets have greater ids.
    app.clock.advance(1_000);
    await stage.violate();
    await stage.settled('created', 2);
    expect(kinds()).toEqual([]);
    expect(desk.tickets).toHaveLength(2);
    expect((await stage.tickets())[0]).toMatchObject({ external_ticket_id: 'TKT-2' });
  });
});

describe('a ticket that people resolved while its incident is open', () => {
  it('is reopened at the next occurrence', async () => {
    const stage = await opened();
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved', resolution: 'Done' });
    await stage.pass(HOUR_MS);
    expect(kinds()).toEqual([]);
    await stage.violate();
    await stage.pass(MINUTE_MS);
    expect(kinds()).toEqual(['reopen']);
    expect(await stage.ticket()).toMatchObject({ status: 'open' });
  });

  it('is not changed if they declined it', async () => {
    const stage = await opened();
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved', resolution: "Won't Do" });
    await stage.violate();
    await stage.pass(HOUR_MS);
    expect(kinds()).toEqual([]);
  });

  it('gets the missed occurrences if they reopen it after they declined it, and is updated again', async () => {
    const stage = await opened();
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved', resolution: "Won't Do" });
    await stage.violate();
    await stage.pass(HOUR_MS);
    await stage.report({ external_ticket_id: 'TKT-1', status: 'in_progress' });
    await stage.pass(MINUTE_MS);
    expect(kinds()).toEqual(['comment']);
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved', resolution: 'Done' });
    await stage.violate();
    await stage.pass(HOUR_MS);
    expect(kinds()).toEqual(['comment', 'reopen']);
  });

  it('gets the missed changes even if the answer of the platform was the first sign that people declined it', async () => {
    const stage = await opened();
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved', resolution: 'Done' });
    desk.updateScript = () => ({ kind: 'refused', code: 'declined', message: 'People declined it.' });
    await stage.violate();
    await stage.pass(HOUR_MS);
    expect(kinds()).toEqual(['reopen']);
    desk.updateScript = () => undefined;
    await stage.report({ external_ticket_id: 'TKT-1', status: 'in_progress' });
    await stage.pass(MINUTE_MS);
    expect(kinds()).toEqual(['reopen', 'comment']);
  });
});

describe('a change with unknown outcome', () => {
  it('is repeated with the same key until the outcome is known', async () => {
    const stage = await opened();
    let left = 2;
    desk.updateScript = () => (left-- > 0 ? { kind: 'uncertain', message: 'No answer.' } : undefined);
    await stage.resolve();
    for (let n = 0; n < 4; n++) await stage.pass(MINUTE_MS);
    expect(desk.changes.map(({ repeated }) => repeated)).toEqual([false, true, true]);
    expect(new Set(desk.changes.map(({ key }) => key)).size).toBe(1);
    expect(await stage.ticket()).toMatchObject({ status: 'resolved', change_error: null });
  });

  it('is shown with the answer and the next attempt until it is made', async () => {
    const stage = await opened();
    desk.updateScript = () => ({ kind: 'retryable', message: 'Come back later.', retryAfterMs: 90_000 });
    const at = app.clock.now();
    await stage.resolve();
    const tried = { change_kind: 'resolve', change_result: 'retrying', change_error: 'Come back later.' };
    const [task] = await app.database.asOwner<{ due_at: Date }>(
      `select due_at from governance.tasks where org_id = $1 and queue = 'itsm-changes'`,
      [stage.orgId],
    );
    const next_change_at = new Date(task?.due_at ?? 0).toISOString();
    expect(await stage.ticket()).toMatchObject({
      ...tried,
      status: 'open',
      change_at: at.toISOString(),
      next_change_at,
    });
    desk.updateScript = () => undefined;
    await stage.pass(2 * MINUTE_MS);
    const made = { change_kind: 'resolve', change_result: 'made', change_error: null, next_change_at: null };
    expect(await stage.ticket()).toMatchObject({
      ...made,
      status: 'resolved',
      change_at: app.clock.now().toISOString(),
    });
  });

  it('is not repeated a third time if it is a comment, which is then shown as perhaps missing', async () => {
    const stage = await opened();
    desk.updateScript = () => ({ kind: 'uncertain', message: 'No answer.' });
    await stage.violate();
    for (let n = 0; n < 4; n++) await stage.pass(MINUTE_MS);
    expect(kinds()).toEqual(['comment', 'comment', 'comment']);
    const given = { change_kind: 'comment', change_result: 'unanswered', change_error: 'No answer.' };
    expect(await stage.ticket()).toMatchObject({ ...given, next_change_at: null });
    const { id } = await stage.incident();
    const { body } = await stage.call('GET', `/v1/incidents/${id}`);
    const shown = body.timeline.filter((item: { kind: string }) => item.kind === 'ticket');
    expect(shown).toMatchObject([{ data: { change: 'comment', result: 'unanswered', error: 'No answer.' } }]);
  });

  it('is repeated by another worker if its process ended', async () => {
    const stage = await opened();
    let letGo = (_outcome: { kind: 'updated' }): void => undefined;
    desk.updateScript = () => new Promise(answer => (letGo = answer));
    const { id } = await stage.incident();
    await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
    await until(async () => desk.changes.length === 1);
    desk.updateScript = () => undefined;
    await app.database.asOwner(
      `update governance.tasks set lease_token = gen_random_uuid(), due_at = now() - interval '1 second'
       where org_id = $1 and lease_token is not null`,
      [stage.orgId],
    );
    letGo({ kind: 'updated' });
    await stage.pass(0);
    await until(async () => desk.changes.length === 2);
    await quiet(stage.orgId);
    expect(desk.changes[1]).toMatchObject({ kind: 'resolve', repeated: true, key: desk.changes[0]?.key });
    expect(await stage.ticket()).toMatchObject({ status: 'resolved' });
  });

  it('waits while the connector is inactive, and is made when it is active again', async () => {
    const stage = await opened();
    const path = `/v1/itsm/connectors/${stage.connector.id}`;
    await stage.call('PATCH', path, { active: false });
    const { id } = await stage.incident();
    await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
    expect(desk.changes).toEqual([]);
    await stage.call('PATCH', path, { active: true });
    await until(async () => desk.changes.length === 1);
    expect(kinds()).toEqual(['resolve']);
  });
});

describe('the timeline of an incident', () => {
  it('shows the changes of its ticket, and why one was not made', async () => {
    const stage = await opened();
    await stage.violate();
    await stage.pass(MINUTE_MS);
    app.clock.advance(1_000);
    desk.updateScript = () => ({ kind: 'refused', code: 'field', message: 'A resolution is mandatory.' });
    await stage.resolve();
    const { id } = await stage.incident();
    const { body } = await stage.call('GET', `/v1/incidents/${id}`);
    const shown = body.timeline.filter((item: { kind: string }) => item.kind === 'ticket');
    expect(shown).toMatchObject([
      {
        data: {
          ...{ change: 'resolve', result: 'refused', external_ticket_id: 'TKT-1' },
          error: 'A resolution is mandatory.',
        },
      },
      { data: { change: 'comment', result: 'made', occurrences: 2 } },
    ]);
    const refused = { change_kind: 'resolve', change_result: 'refused', change_error: 'A resolution is mandatory.' };
    expect(await stage.ticket()).toMatchObject({ ...refused, next_change_at: null, status: 'open' });
    expect(kinds()).toEqual(['comment', 'resolve']);
  });

  it('shows the status that people set on the platform, once, while the incident stays open', async () => {
    const stage = await opened();
    const said = { resolution: 'Done', notes: 'The case is clear.', updated_by: 'ada@example.com' };
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved', ...said });
    await stage.report({ external_ticket_id: 'TKT-1', status: 'resolved', ...said, notes: 'Still clear.' });
    const { id } = await stage.incident();
    const { body } = await stage.call('GET', `/v1/incidents/${id}`);
    expect(body.status).toBe('open');
    const shown = body.timeline.filter((item: { kind: string }) => item.kind === 'ticket');
    expect(shown).toEqual([
      expect.objectContaining({
        actor: expect.objectContaining({ kind: 'connector' }),
        data: expect.objectContaining({
          ...{ change: 'reported', external_ticket_id: 'TKT-1', status: 'resolved', resolution: 'Done' },
          ...{ updated_by: 'ada@example.com', note: 'The case is clear.' },
        }),
      }),
    ]);
  });
});
