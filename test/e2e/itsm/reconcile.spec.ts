import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TicketRef, TicketState } from '#itsm';
import { Reconciliation } from '../../../libs/itsm/reconcile/reconciliation.js';
import { auditOf, putConnector, putTicket, ticketRow } from '../../support/itsm/ledger.js';
import { SCRIPT, ReportingAdapter } from '../../support/itsm/reporting-adapter.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';

const MINUTE_MS = 60_000;

describe('reconciliation', () => {
  let app: TestApp;
  let orgId: string;
  let connectorId: string;
  /** The tickets that were requested from the platform, in order. */
  const asked: string[] = [];

  beforeAll(async () => {
    const options = { itsmAdapters: [ReportingAdapter], itsm: { reconcileMinutes: 15 } };
    app = await startTestApp({ ...options, outbox: { pollIntervalMs: 100 } });
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    // Disables the connectors of other tests.
    await app.database.asOwner('update governance.itsm_connectors set active = false');
    ({ orgId } = await app.addOrganization());
    connectorId = await putConnector(app, orgId);
    asked.length = 0;
  });

  const answer = (say: (ref: TicketRef) => TicketState | null | Promise<TicketState | null>): void => {
    SCRIPT.status = async ref => {
      asked.push(ref.externalTicketId);
      return say(ref);
    };
  };
  const created = (externalTicketId: string, status = 'open'): Promise<string> =>
    putTicket(app, orgId, { connectorId, externalTicketId, status });
  const ended = (): Promise<unknown> =>
    until(async () => {
      const sql = `select 1 from governance.tasks where queue = 'itsm-reconcile' and org_id = $1`;
      return (await app.database.asOwner(sql, [orgId])).length === 0;
    });
  const look = async (): Promise<number> => {
    const begun = await app.app.get(Reconciliation).look();
    await ended();
    return begun;
  };

  it('reads created tickets, and applies differences', async () => {
    const [first] = [await created('A-1'), await created('A-3', 'in_progress')];
    await putTicket(app, orgId, { connectorId });
    answer(() => ({ status: 'resolved', resolution: 'Done', updatedBy: 'ada' }));
    expect(await look()).toBe(1);
    expect(asked.toSorted()).toEqual(['A-1', 'A-3']);
    expect(await ticketRow(app, first)).toMatchObject({ status: 'resolved', resolution: 'Done', updated_by: 'ada' });
    expect(await auditOf(app, first)).toMatchObject([{ action: 'ticket.status_reported', actor_kind: 'connector' }]);
  });

  it('notices that people have reopened a closed ticket, until a month after it was closed', async () => {
    const [id, old] = [await created('A-1', 'closed'), await created('A-2', 'closed')];
    await app.database.asOwner(`update governance.tickets set updated_at = now() - interval '31 days' where id = $1`, [
      old,
    ]);
    answer(() => ({ status: 'in_progress' }));
    await look();
    expect(asked).toEqual(['A-1']);
    expect([(await ticketRow(app, id)).status, (await ticketRow(app, old)).status]).toEqual(['in_progress', 'closed']);
  });

  it('stores the new key of a ticket that was moved on the platform', async () => {
    const id = await created('A-1');
    const url = 'https://desk.example.com/browse/B-7';
    answer(() => ({ status: 'open', movedTo: { externalTicketId: 'B-7', url } }));
    await look();
    expect(await ticketRow(app, id)).toMatchObject({ external_ticket_id: 'B-7', url, status: 'open' });
    expect(await auditOf(app, id)).toMatchObject([{ after: { external_ticket_id: 'B-7' } }]);
  });

  it('does not close a ticket that the platform no longer shows, reports this once, and resumes it when it is shown', async () => {
    const [plain, noted] = [await created('A-1', 'in_progress'), await created('A-2', 'resolved')];
    const report = { external_ticket_id: 'A-2', status: 'resolved', notes: 'Talked to Ada.' };
    await app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, {
      ...{ ...report, occurred_at: app.clock.now().toISOString(), event_id: 's:5' },
    });
    const round = async (say: Parameters<typeof answer>[0]) => {
      answer(say);
      asked.length = 0;
      app.clock.advance(15 * MINUTE_MS);
      await look();
      return [await ticketRow(app, plain), await ticketRow(app, noted)];
    };
    const notice = expect.stringMatching(/^The platform does not show this ticket: .+account.+\.$/);
    for (let n = 0; n < 2; n++) {
      expect(await round(() => null)).toMatchObject([
        { status: 'in_progress', notes: notice },
        { status: 'resolved', notes: expect.stringMatching(/^The platform does not show .+\.\n\nTalked to Ada\.$/s) },
      ]);
      expect(asked).toHaveLength(2);
    }
    expect([(await auditOf(app, plain)).length, (await auditOf(app, noted)).length]).toEqual([1, 2]);
    // The returned state is older than the last report, so it is ignored.
    const long = new Date(app.clock.now().getTime() - 60 * MINUTE_MS);
    expect(await round(() => ({ status: 'resolved', occurredAt: long }))).toMatchObject([
      { status: 'resolved', notes: null },
      { status: 'resolved', notes: 'Talked to Ada.' },
    ]);
  });

  it('skips tickets that their platform has not shown for a month', async () => {
    const id = await created('A-1');
    answer(() => null);
    await look();
    await app.database.asOwner(`update governance.tickets set updated_at = now() - interval '31 days' where id = $1`, [
      id,
    ]);
    app.clock.advance(15 * MINUTE_MS);
    await look();
    expect(asked).toEqual(['A-1']);
  });

  it('reads again after the interval, on one replica only, and writes nothing if nothing differs', async () => {
    const id = await created('A-1');
    answer(() => ({ status: 'open' }));
    const other = await startTestApp({
      ...{ testDatabase: app.database, orgId: app.orgId, time: app.clock, itsmAdapters: [ReportingAdapter] },
      itsm: { reconcileMinutes: 15 },
    });
    try {
      await Promise.all([look(), other.app.get(Reconciliation).look()]);
      await ended();
      expect(asked).toEqual(['A-1']);
      app.clock.advance(14 * MINUTE_MS);
      expect(await look()).toBe(0);
      app.clock.advance(MINUTE_MS);
      expect(await look()).toBe(1);
      expect(asked).toEqual(['A-1', 'A-1']);
      expect(await auditOf(app, id)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('reads many tickets in batches, each once', async () => {
    for (let n = 0; n < 45; n++) await created(`B-${n}`);
    answer(() => ({ status: 'in_progress' }));
    await look();
    expect(asked).toHaveLength(45);
    expect(new Set(asked).size).toBe(45);
    const rows = await app.database.asOwner('select distinct status from governance.tickets where org_id = $1', [
      orgId,
    ]);
    expect(rows).toEqual([{ status: 'in_progress' }]);
  });

  it('keeps reports that arrive during a read', async () => {
    const id = await created('C-1');
    answer(async () => {
      await app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, {
        external_ticket_id: 'C-1',
        status: 'closed',
      });
      return { status: 'in_progress' };
    });
    await look();
    expect((await ticketRow(app, id)).status).toBe('closed');
  });

  it('skips a ticket that the platform does not return, and stops at a platform that returns none', async () => {
    for (let n = 0; n < 6; n++) await created(`D-${n}`);
    answer(({ externalTicketId }) => {
      if (externalTicketId === asked[0]) throw new Error('no');
      return { status: 'closed' };
    });
    await look();
    const closed = `select 1 from governance.tickets where org_id = $1 and status = 'closed'`;
    expect(await app.database.asOwner(closed, [orgId])).toHaveLength(5);
    for (let n = 0; n < 6; n++) await created(`E-${n}`);
    asked.length = 0;
    answer(() => Promise.reject(new Error('no')));
    app.clock.advance(15 * MINUTE_MS);
    await look();
    expect(asked).toHaveLength(3);
  });

  it('skips inactive connectors and connectors with a problem', async () => {
    await created('F-1');
    answer(() => ({ status: 'closed' }));
    await app.database.asOwner(
      `update governance.itsm_connectors set problem_code = 'auth', problem_since = $2, problem_until = $2 where id = $1`,
      [connectorId, new Date(app.clock.now().getTime() + MINUTE_MS)],
    );
    await look();
    await app.database.asOwner('update governance.itsm_connectors set active = false where id = $1', [connectorId]);
    app.clock.advance(15 * MINUTE_MS);
    expect(await look()).toBe(0);
    expect(asked).toEqual([]);
  });

  it('is off by default', async () => {
    const off = await startTestApp({ testDatabase: app.database, orgId: app.orgId, itsmAdapters: [ReportingAdapter] });
    await created('G-1');
    expect(await off.app.get(Reconciliation).look()).toBe(0);
    await off.close();
  });
});
