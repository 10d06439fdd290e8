import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OrgDatabase } from '#database';
import { ParkedUpdates } from '../../../libs/itsm/inbound/parked-updates.js';
import { Counted } from '../../support/itsm/counted.js';
import { auditOf, putConnector, putTask, putTicket, ticketRow } from '../../support/itsm/ledger.js';
import { SCRIPT, ReportingAdapter } from '../../support/itsm/reporting-adapter.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';

const COUNTER = 'governance.itsm.reports';

class OtherAdapter extends ReportingAdapter {
  override readonly kind = 'other';
  override mapInbound(): never {
    throw new Error('broken');
  }
}

describe('reports of tickets', () => {
  const counted = new Counted();
  let app: TestApp;
  let orgId: string;
  let connectorId: string;
  let call: Call;

  beforeAll(async () => {
    counted.start();
    const adapters = { itsmAdapters: [OtherAdapter, ReportingAdapter] };
    app = await startTestApp({ ...adapters, outbox: { workers: false }, trustedProxies: ['127.0.0.1'] });
  });

  beforeEach(async () => {
    ({ orgId, call } = await app.addOrganization());
    connectorId = await putConnector(app, orgId);
    counted.take(COUNTER);
  });

  afterAll(async () => {
    await app.close();
    counted.stop();
  });

  const report = (body: unknown, query = '', org = orgId): Promise<Answer> =>
    app.as(null)('POST', `/v1/integrations/itsm/webhook/${org}${query}`, body);
  const known = (externalTicketId: string, fields = {}): Promise<string> =>
    putTicket(app, orgId, { connectorId, externalTicketId, ...fields });
  /** Adds a ticket whose create request is running. */
  const underWay = async (fields = {}): Promise<string> => {
    const id = await putTicket(app, orgId, { connectorId, ...fields });
    await putTask(app, orgId, { id, connectorId }, { isLeased: true });
    return id;
  };
  const parked = () => app.database.asOwner('select * from governance.itsm_parked_updates where org_id = $1', [orgId]);

  it('spec 4.11: the ticket with the matching id gets the status, without a credential', async () => {
    const id = await known('SEC-1');
    const { status, body } = await report({
      ...{ external_ticket_id: 'SEC-1', status: 'resolved', resolution: 'Done' },
      ...{ notes: 'line one\nline two', updated_by: 'ada@example.com' },
    });
    expect([status, body]).toEqual([200, { external_ticket_id: 'SEC-1', status: 'resolved' }]);
    expect(await ticketRow(app, id)).toMatchObject({
      ...{ status: 'resolved', resolution: 'Done', notes: 'line one\nline two', updated_by: 'ada@example.com' },
    });
    const [entry] = await auditOf(app, id);
    expect(entry).toMatchObject({
      ...{ action: 'ticket.status_reported', actor_kind: 'connector', actor_id: connectorId, address: '127.0.0.1' },
      ...{ before: { status: 'open' }, after: { status: 'resolved', updated_by: 'ada@example.com' } },
    });
    expect(counted.take(COUNTER)).toEqual(['applied']);
  });

  it('a ticket that was moved on the platform is found by its unchanged id, and gets the new key', async () => {
    const id = await known('SEC-1', { platformId: '10017' });
    const other = await known('SEC-2', { platformId: '10018' });
    const moved = { external_ticket_id: 'OPS-9', platform_id: '10017', status: 'in_progress' };
    expect((await report(moved)).body).toEqual({ external_ticket_id: 'OPS-9', status: 'in_progress' });
    expect(await ticketRow(app, id)).toMatchObject({ external_ticket_id: 'OPS-9', status: 'in_progress' });
    expect(await ticketRow(app, other)).toMatchObject({ external_ticket_id: 'SEC-2', status: 'open' });
    expect(await auditOf(app, id)).toMatchObject([
      { before: { external_ticket_id: 'SEC-1' }, after: { external_ticket_id: 'OPS-9' } },
    ]);
    // From now on, the app finds the ticket by its new key.
    expect((await report({ external_ticket_id: 'OPS-9', status: 'closed' })).status).toBe(200);
    expect((await report({ external_ticket_id: 'OPS-7', platform_id: '777', status: 'closed' })).status).toBe(404);
  });

  it('a moved ticket counts as the same ticket as those with its previous key, but not as one of another connector', async () => {
    const all = [await known('SEC-1', { platformId: '10017' }), await known('SEC-1', { platformId: '10017' })];
    all.push(await known('OPS-9', { platformId: '10017' }));
    const foreign = { connectorId: await putConnector(app, orgId), platformId: '10017' };
    const other = await known('SEC-1', foreign);
    const moved = { external_ticket_id: 'OPS-9', platform_id: '10017', status: 'closed' };
    expect((await report(moved)).status).toBe(200);
    for (const id of all) {
      expect(await ticketRow(app, id)).toMatchObject({ external_ticket_id: 'OPS-9', status: 'closed' });
    }
    expect(await ticketRow(app, other)).toMatchObject({ external_ticket_id: 'SEC-1', status: 'open' });
  });

  it('an older report of a moved ticket does not remove its new key', async () => {
    const id = await known('SEC-1', { platformId: '10017' });
    const at = (minute: number) => new Date(app.clock.now().getTime() - minute * 60_000).toISOString();
    const said = { platform_id: '10017', status: 'in_progress' };
    await report({ ...said, external_ticket_id: 'OPS-9', occurred_at: at(1) });
    expect((await report({ ...said, external_ticket_id: 'SEC-1', occurred_at: at(2) })).status).toBe(200);
    expect(await ticketRow(app, id)).toMatchObject({ external_ticket_id: 'OPS-9' });
  });

  it('spec 2.9: status is one of open, in_progress, resolved, closed', async () => {
    const id = await known('SEC-1');
    for (const wrong of ['done', 'Open', '', null, 1]) {
      const { status, body } = await report({ external_ticket_id: 'SEC-1', status: wrong });
      expect([status, body.details[0].field]).toEqual([400, 'status']);
    }
    expect(await auditOf(app, id)).toEqual([]);
  });

  it('spec 3.4: an inbound update moves a ticket from any status to the one that it names', async () => {
    const id = await known('SEC-1');
    const all = ['open', 'in_progress', 'resolved', 'closed'];
    for (const from of all) {
      for (const to of all) {
        await app.database.asOwner('update governance.tickets set status = $2 where id = $1', [id, from]);
        const { status, body } = await report({ external_ticket_id: 'SEC-1', status: to });
        expect([status, body.status, (await ticketRow(app, id)).status]).toEqual([200, to, to]);
      }
    }
  });

  it('spec 2.9: an inbound update names a known ticket by external_ticket_id', async () => {
    const [named, other] = [await known('SEC-1'), await known('SEC-2')];
    await report({ external_ticket_id: 'SEC-1', status: 'closed' });
    expect([(await ticketRow(app, named)).status, (await ticketRow(app, other)).status]).toEqual(['closed', 'open']);
    const { status, body } = await report({ status: 'closed' });
    expect([status, body.details[0]]).toEqual([400, { field: 'external_ticket_id', message: 'is required' }]);
  });

  it('spec 2.9: a ticket shows status, resolution, notes and updated_by as last reported', async () => {
    const id = await known('SEC-1');
    const said = { status: 'resolved', resolution: 'Done', notes: 'n', updated_by: 'ada@example.com' };
    await report({ external_ticket_id: 'SEC-1', ...said });
    expect((await call('GET', `/v1/itsm/tickets/${id}`)).body).toMatchObject(said);
  });

  it('that arrive twice are answered with 200 and leave one audit entry', async () => {
    const id = await known('SEC-1');
    const same = { external_ticket_id: 'SEC-1', status: 'resolved', resolution: 'Done' };
    for (const body of [same, same, { ...same, occurred_at: app.clock.now().toISOString() }]) {
      expect((await report(body)).status).toBe(200);
    }
    expect(await auditOf(app, id)).toHaveLength(1);
    expect(counted.take(COUNTER)).toEqual(['applied', 'unchanged', 'unchanged']);
  });

  it('with the same event id count once, even if the content differs', async () => {
    const id = await known('SEC-1');
    const event = { external_ticket_id: 'SEC-1', event_id: 'e1' };
    await report({ ...event, status: 'in_progress' });
    await report({ external_ticket_id: 'SEC-1', status: 'resolved' });
    const { status, body } = await report({ ...event, status: 'in_progress' });
    expect([status, body.status]).toEqual([200, 'resolved']);
    expect(await auditOf(app, id)).toHaveLength(2);
    expect(counted.take(COUNTER)).toEqual(['applied', 'applied', 'duplicate']);
  });

  it('that arrive at once are applied one after the other, equal ones once', async () => {
    const id = await known('SEC-1');
    const bodies = Array.from({ length: 8 }, () => ({
      external_ticket_id: 'SEC-1',
      status: 'resolved',
      event_id: 'e',
    }));
    const answers = await Promise.all(bodies.map(body => report(body)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    expect(await auditOf(app, id)).toHaveLength(1);
  });

  it('with a time are ordered by it: an older one changes nothing', async () => {
    const id = await known('SEC-1');
    const at = (seconds: number, zone = 'Z') =>
      new Date(app.clock.now().getTime() - seconds * 1000).toISOString().replace('Z', zone);
    await report({ external_ticket_id: 'SEC-1', status: 'resolved', occurred_at: at(10) });
    const late = await report({ external_ticket_id: 'SEC-1', status: 'in_progress', occurred_at: at(20, '+0000') });
    expect([late.status, late.body.status]).toEqual([200, 'resolved']);
    expect(counted.take(COUNTER)).toEqual(['applied', 'stale']);
    await report({ external_ticket_id: 'SEC-1', status: 'in_progress' });
    expect(await ticketRow(app, id)).toMatchObject({ status: 'in_progress' });
  });

  it('treat empty and null as absent, and drop invisible characters', async () => {
    const id = await known('SEC-1');
    const empty = { resolution: '', notes: null, updated_by: '', event_id: '', occurred_at: '' };
    expect((await report({ external_ticket_id: 'SEC-1', status: 'closed', ...empty })).status).toBe(200);
    await report({ external_ticket_id: 'SEC-1', status: 'closed', notes: `\u202Ea\u0000b${'x'.repeat(9_000)}` });
    const { notes, updated_by } = await ticketRow(app, id);
    expect([String(notes).slice(0, 3), String(notes).length, updated_by]).toEqual(['abx', 4_000, null]);
  });

  it('of an unknown ticket and of an unknown organization get the same 404', async () => {
    await known('SEC-1');
    const body = { external_ticket_id: 'SEC-2', status: 'closed' };
    const answers = [await report(body), await report(body, '', randomUUID()), await report(body, '', 'no-uuid')];
    const shown = answers.map(({ status, body: { error, message } }) => ({ status, error, message }));
    expect(shown).toEqual(
      answers.map(() => ({ status: 404, error: 'not_found', message: 'There is no such resource.' })),
    );
    expect(counted.take(COUNTER)).toEqual(answers.map(() => 'refused unknown_ticket'));
  });

  describe('of an unknown ticket, while a ticket is not yet created', () => {
    const hold = (): Promise<unknown> =>
      app.database.asOwner(`insert into governance.task_holds values ($1, 'itsm', $2)`, [orgId, connectorId]);
    const aside = (id: string): Promise<unknown> =>
      app.database.asOwner('update governance.tasks set quarantined_at = now() where id = $1', [id]);
    type Waiting = Parameters<typeof putTask>[3] & { syncState?: 'pending' | 'uncertain'; isHeld?: boolean };

    it.each<[string, Waiting, 'kept' | 'unknown']>([
      ['that waits to be created', {}, 'unknown'],
      ['that waits for a disabled connector', { isHeld: true }, 'unknown'],
      ['with an unknown outcome, of a disabled connector', { syncState: 'uncertain', isHeld: true }, 'unknown'],
      ['with an interrupted create, of a disabled connector', { isLeased: true, dueInMs: -1, isHeld: true }, 'unknown'],
      ['with an unknown outcome, whose search is overdue', { syncState: 'uncertain', dueInMs: 601_000 }, 'unknown'],
      ['that is being created', { isLeased: true }, 'kept'],
      ['that is still being created after its connector was disabled', { isLeased: true, isHeld: true }, 'kept'],
      ['with an interrupted create that is resumed', { isLeased: true, dueInMs: -1 }, 'kept'],
      ['with an unknown outcome, which will be searched soon', { syncState: 'uncertain', dueInMs: 30_000 }, 'kept'],
      ['that a connector test opens and a worker would search', { phase: 'find', dueInMs: 120_000 }, 'kept'],
    ])('%s: %j is %s', async (_what, { syncState = 'pending', isHeld = false, ...task }, expected) => {
      const id = await putTicket(app, orgId, { connectorId, syncState });
      await putTask(app, orgId, { id, connectorId }, task);
      if (isHeld) await hold();
      const { status, body } = await report({ external_ticket_id: 'NEVER-1', status: 'open' });
      const { body: none } = await report({ external_ticket_id: 'NEVER-1', status: 'open' }, '', randomUUID());
      if (expected === 'kept') expect([status, (await parked()).length]).toEqual([200, 1]);
      else {
        expect({ ...body, request_id: '' }).toEqual({ ...none, request_id: '' });
        expect([status, await parked()]).toEqual([404, []]);
      }
    });

    it('get 404 if no create is running any more', async () => {
      await putTicket(app, orgId, { connectorId, syncState: 'uncertain' });
      expect((await report({ external_ticket_id: 'NEVER-1', status: 'open' })).status).toBe(404);
      const id = await underWay();
      await aside(id);
      expect((await report({ external_ticket_id: 'NEVER-1', status: 'open' })).status).toBe(404);
    });
  });

  it('of an id that two tickets of one connector have apply to both', async () => {
    const ids = [await known('17'), await known('17')];
    const { status, body } = await report({ external_ticket_id: '17', status: 'closed', event_id: 'e' });
    expect([status, body]).toEqual([200, { external_ticket_id: '17', status: 'closed' }]);
    expect(
      (await report({ external_ticket_id: '17', status: 'resolved' }, `?connector_id=${connectorId}`)).status,
    ).toBe(200);
    for (const id of ids) {
      expect((await ticketRow(app, id)).status).toBe('resolved');
      expect(await auditOf(app, id)).toHaveLength(2);
    }
  });

  it('of an id that a platform gives to all tickets apply to its fifty newest', async () => {
    for (let n = 0; n < 52; n++) await known('17');
    expect((await report({ external_ticket_id: '17', status: 'closed' })).status).toBe(200);
    const sql = `select status from governance.tickets where org_id = $1 order by id`;
    const statuses = (await app.database.asOwner(sql, [orgId])).map(({ status }) => status);
    expect(statuses).toEqual(['open', 'open', ...Array.from({ length: 50 }, () => 'closed')]);
  });

  it('of the same second are ordered by the number at the end of their event ids', async () => {
    const id = await known('SEC-1');
    const of = (event_id: string, status: string, seconds = 10) => {
      const at = new Date(Math.floor(app.clock.now().getTime() / 1000 - seconds) * 1000);
      return report({ external_ticket_id: 'SEC-1', status, event_id, occurred_at: at.toISOString() });
    };
    await of('sys:9', 'resolved');
    await of('sys:10', 'closed');
    expect((await of('sys:8', 'in_progress')).body.status).toBe('closed');
    expect(await ticketRow(app, id)).toMatchObject({ status: 'closed' });
    // This report changes nothing, but advances the stored number. The next report is therefore stale.
    await of('sys:12', 'closed');
    expect((await of('sys:11', 'resolved')).body.status).toBe('closed');
    expect((await of('other:1', 'open')).body.status).toBe('open');
    expect((await of('sys:1', 'closed', 5)).body.status).toBe('closed');
    expect(counted.take(COUNTER)).toEqual([
      ...['applied', 'applied', 'stale', 'unchanged', 'stale', 'applied', 'applied'],
    ]);
  });

  it('of an id that two connectors know must name the connector', async () => {
    const other = await putConnector(app, orgId);
    const [first, second] = [
      await known('17'),
      await putTicket(app, orgId, { connectorId: other, externalTicketId: '17' }),
    ];
    const body = { external_ticket_id: '17', status: 'closed' };
    const ambiguous = await report(body);
    expect([ambiguous.status, ambiguous.body.details[0].field]).toEqual([400, 'external_ticket_id']);
    // The id stays ambiguous even if one connector has more tickets with this id than the other.
    for (let n = 0; n < 11; n++) await putTicket(app, orgId, { connectorId: other, externalTicketId: '17' });
    expect((await report(body)).status).toBe(400);
    await app.database.asOwner('delete from governance.tickets where connector_id = $1 and id <> $2', [other, second]);
    expect((await report(body, `?connector_id=${other}`)).status).toBe(200);
    expect((await ticketRow(app, first)).status).toBe('open');
    expect((await ticketRow(app, second)).status).toBe('closed');
    expect((await report(body, `?connector_id=${randomUUID()}`)).status).toBe(404);
    expect((await report(body, '?connector_id=x')).status).toBe(400);
  });

  it('in the format of a platform are read by its adapter, and apply only to tickets of that platform', async () => {
    const other = await putConnector(app, orgId, { kind: 'other' });
    await putTicket(app, orgId, { connectorId: other, kind: 'other', externalTicketId: 'N-1' });
    const mine = await known('N-1');
    SCRIPT.mapInbound = body =>
      body['native'] === true
        ? { externalTicketId: 'N-1', status: 'closed', updatedBy: 'bo', occurredAt: new Date(NaN) }
        : null;
    // The result of the adapter is validated, too.
    expect((await report({ native: true })).status).toBe(400);
    SCRIPT.mapInbound = body =>
      body['native'] === true ? { externalTicketId: 'N-1', status: 'closed', updatedBy: 'bo' } : null;
    expect((await report({ native: true })).body).toEqual({ external_ticket_id: 'N-1', status: 'closed' });
    expect(await ticketRow(app, mine)).toMatchObject({ status: 'closed', updated_by: 'bo' });
    const unread = await report({ something: 'else' });
    expect([unread.status, unread.body.message]).toEqual([
      400,
      expect.stringContaining('external_ticket_id: is required'),
    ]);
  });

  it('that arrive before their ticket are stored while one is being created, and applied in order when it exists', async () => {
    const id = await underWay({ syncState: 'uncertain' });
    const at = (seconds: number) => new Date(app.clock.now().getTime() - seconds * 1000).toISOString();
    const early = { external_ticket_id: 'SEC-9' };
    const first = await report({ ...early, status: 'resolved', occurred_at: at(1), event_id: 'e2' });
    expect([first.status, first.body]).toEqual([200, { external_ticket_id: 'SEC-9', status: 'resolved' }]);
    await report({ ...early, status: 'resolved', occurred_at: at(1), event_id: 'e2' });
    await report({ ...early, status: 'in_progress', occurred_at: at(5), event_id: 'e1' });
    await report({ external_ticket_id: 'SEC-10', status: 'closed' });
    expect(await parked()).toHaveLength(4);
    await create(id, 'SEC-9');
    expect(await ticketRow(app, id)).toMatchObject({ status: 'resolved' });
    expect((await auditOf(app, id)).map(({ after }) => (after as { event_id: string }).event_id)).toEqual(['e1', 'e2']);
    expect(await parked()).toMatchObject([{ external_ticket_id: 'SEC-10' }]);
    // No create is running any more, so a report about an unknown ticket gets 404.
    expect((await report({ external_ticket_id: 'SEC-11', status: 'closed' })).status).toBe(404);
  });

  it('that wait are at most a hundred, wait at most ten minutes, and only for their connector', async () => {
    const other = await putConnector(app, orgId);
    const id = await underWay();
    const strange = await report({ external_ticket_id: 'SEC-9', status: 'closed' }, `?connector_id=${other}`);
    expect(strange.status).toBe(404);
    await report({ external_ticket_id: 'SEC-9', status: 'closed' });
    await app.database.asOwner(
      `insert into governance.itsm_parked_updates (org_id, external_ticket_id, update, source, received_at)
       select $1, 'X-' || n, '{}', '{}', $2 from generate_series(1, 99) n`,
      [orgId, app.clock.now()],
    );
    expect((await parked()).map(row => row['external_ticket_id'])).toContain('SEC-9');
    await report({ external_ticket_id: 'X-100', status: 'open' });
    expect(await parked()).toHaveLength(100);
    expect((await parked()).map(row => row['external_ticket_id'])).not.toContain('SEC-9');
    await report({ external_ticket_id: 'SEC-9', status: 'closed' });
    app.clock.advance(10 * 60_000);
    await create(id, 'SEC-9');
    expect((await ticketRow(app, id)).status).toBe('open');
  });

  it('that wait may contain any character, and count once anyway', async () => {
    const id = await underWay();
    const odd = { notes: 'a\u0000b\ud800', resolution: '\u0000', updated_by: '\udc00x', event_id: 'e\u0000\ud800' };
    const body = { external_ticket_id: 'ODD-1', status: 'closed', ...odd };
    for (const _ of [1, 2]) expect((await report(body)).status).toBe(200);
    await create(id, 'ODD-1');
    expect((await report(body)).status).toBe(200);
    expect(await ticketRow(app, id)).toMatchObject({ status: 'closed', notes: 'ab\uFFFD', resolution: null });
    expect(await auditOf(app, id)).toHaveLength(1);
  });

  it('that race with the creation of their ticket are never lost', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await underWay();
      const name = `R-${round}`;
      const [answer] = await Promise.all([report({ external_ticket_id: name, status: 'resolved' }), create(id, name)]);
      expect([answer.status, (await ticketRow(app, id)).status]).toEqual([200, 'resolved']);
    }
  });

  /** Stores the result of a creation, as the ticket queue does after the platform's answer. */
  async function create(id: string, name: string): Promise<void> {
    await app.app.get(OrgDatabase).transaction(orgId, async em => {
      const sql = `update governance.tickets set sync_state = 'created', status = 'open', external_ticket_id = ? where id = ?`;
      await em.getConnection().execute(sql, [name, id], 'run', em.getTransactionContext());
      await app.app.get(ParkedUpdates).created(em, orgId, [{ id, connectorId, externalTicketId: name }]);
    });
  }
});
