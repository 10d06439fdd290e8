import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { putConnector, putTask, putTicket, ticketRow } from '../../support/itsm/ledger.js';
import { SCRIPT, ReportingAdapter } from '../../support/itsm/reporting-adapter.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

/** A variant of the platform that reports in the same format. */
class EditionAdapter extends ReportingAdapter {
  override readonly kind = 'edition';
}

/** A platform without its own report format. */
class OtherAdapter extends ReportingAdapter {
  override readonly kind = 'other';
  override mapInbound(): null {
    return null;
  }
}

describe('reports in a format that two platforms share', () => {
  let app: TestApp;
  let orgId: string;

  beforeAll(async () => {
    const adapters = { itsmAdapters: [ReportingAdapter, OtherAdapter, EditionAdapter] };
    app = await startTestApp({ ...adapters, outbox: { workers: false } });
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    ({ orgId } = await app.addOrganization());
    SCRIPT.mapInbound = ({ issue }) =>
      typeof issue === 'string' ? { externalTicketId: issue, status: 'resolved' } : null;
  });
  afterEach(() => {
    SCRIPT.mapInbound = () => null;
  });

  const report = async (issue: string): Promise<number> =>
    (await app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, { issue })).status;
  const ticketOf = async (kind: string, more: object = {}): Promise<{ id: string; connectorId: string }> => {
    const connectorId = await putConnector(app, orgId, { kind });
    return { connectorId, id: await putTicket(app, orgId, { connectorId, kind, ...more }) };
  };

  it('apply to the tickets of both, and of no other', async () => {
    const mine = await ticketOf('edition', { externalTicketId: 'SEC-1' });
    const foreign = await ticketOf('other', { externalTicketId: 'SEC-1' });
    expect(await report('SEC-1')).toBe(200);
    expect(await ticketRow(app, mine.id)).toMatchObject({ status: 'resolved' });
    expect(await ticketRow(app, foreign.id)).toMatchObject({ status: 'open' });
  });

  it('wait for the tickets of the platforms with a running create', async () => {
    const parkedKinds = async (): Promise<unknown[]> => {
      const own = 'select kind from governance.itsm_parked_updates where org_id = $1 order by seq desc, kind';
      return (await app.database.asOwner(own, [orgId])).map(({ kind }) => kind);
    };
    expect(await report('SEC-2')).toBe(404);
    await putTask(app, orgId, await ticketOf('edition'), { isLeased: true });
    expect([await report('SEC-2'), await parkedKinds()]).toEqual([200, ['edition']]);
    await putTask(app, orgId, await ticketOf('reporting'), { isLeased: true });
    expect(await report('SEC-3')).toBe(200);
    expect(new Set((await parkedKinds()).slice(0, 2))).toEqual(new Set(['edition', 'reporting']));
  });
});
