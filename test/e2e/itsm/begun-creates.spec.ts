import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectorChangedError, TicketLedger } from '../../../libs/itsm/delivery/ticket-ledger.js';
import { putConnector, putTicket, type PutTicket } from '../../support/itsm/ledger.js';
import { ReportingAdapter } from '../../support/itsm/reporting-adapter.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

describe('a request to create a ticket', () => {
  let app: TestApp;
  let orgId: string;
  let connectorId: string;
  let ledger: TicketLedger;

  beforeAll(async () => {
    app = await startTestApp({ itsmAdapters: [ReportingAdapter], outbox: { workers: false } });
    ledger = app.app.get(TicketLedger);
  });

  beforeEach(async () => {
    ({ orgId } = await app.addOrganization());
    connectorId = await putConnector(app, orgId);
  });

  afterAll(() => app.close());

  const ticket = (fields: Partial<PutTicket> = {}) => putTicket(app, orgId, { connectorId, ...fields });
  const begin = (id: string, unanswered = 0) => ledger.begin(orgId, { id, unanswered });
  const unanswered = async (...ids: string[]) => {
    const sql = 'select id, unanswered from governance.tickets where org_id = $1';
    const rows = await app.database.asOwner<{ id: string; unanswered: number }>(sql, [orgId]);
    return ids.map(id => rows.find(row => row.id === id)?.unanswered);
  };

  it('is counted before it is sent', async () => {
    const [one, other] = [await ticket(), await ticket()];
    await begin(one);
    expect(await unanswered(one, other)).toEqual([1, 0]);
  });

  it('is not sent while another one of the same ticket runs, here or in another process, and does not delay other tickets', async () => {
    const [one, other] = [await ticket(), await ticket()];
    const [first, second, neighbour] = await Promise.allSettled([begin(one), begin(one), begin(other)]);
    expect([first.status, second.status, neighbour.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    // Refuses a worker that does not know yet that another worker has begun the create.
    await expect(begin(one)).rejects.toThrow('held by another worker');
    expect(await unanswered(one, other)).toEqual([1, 1]);
    await begin(one, 1);
    expect(await unanswered(one, other)).toEqual([2, 1]);
  });

  it.each(['created', 'rejected'] as const)('is not sent if the ticket is %s meanwhile', async syncState => {
    const [over, open] = [await ticket({ syncState }), await ticket()];
    const [ended, begun] = await Promise.allSettled([begin(over), begin(open)]);
    expect([ended.status, begun.status]).toEqual(['rejected', 'fulfilled']);
    expect(await unanswered(over, open)).toEqual([0, 1]);
  });

  it.each([
    ['disabled', 'update governance.itsm_connectors set active = false where id = $1'],
    ['changed', 'update governance.itsm_connectors set revision = revision + 1 where id = $1'],
    ['removed', 'delete from governance.itsm_connectors where id = $1'],
  ])('is not sent for a connector that was %s since it was read, nor is a search', async (_what, change) => {
    const id = await ticket();
    const read = { orgId, id: connectorId, revision: 1, problemUntil: null };
    await ledger.assertUnchanged(read);
    await ledger.begin(orgId, { id, unanswered: 0 }, read);
    await app.database.asOwner(change, [connectorId]);
    await expect(ledger.begin(orgId, { id, unanswered: 1 }, read)).rejects.toThrow(ConnectorChangedError);
    await expect(ledger.assertUnchanged(read)).rejects.toThrow(ConnectorChangedError);
    expect(await unanswered(id)).toEqual([1]);
  });

  it('is not sent if it cannot be counted, and the next one is', async () => {
    const id = await ticket();
    await app.database.asOwner('alter table governance.tickets rename to tickets_away');
    try {
      await expect(begin(id)).rejects.toThrow('tickets');
    } finally {
      await app.database.asOwner('alter table governance.tickets_away rename to tickets');
    }
    await begin(id);
    expect(await unanswered(id)).toEqual([1]);
  });
});
