import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditOf, putConnector } from '../../support/itsm/ledger.js';
import { ReportingAdapter, SCRIPT } from '../../support/itsm/reporting-adapter.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { stageOn } from '../incidents.support.js';

describe('a report that arrives before the platform has answered the create', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ itsmAdapters: [ReportingAdapter], outbox: { pollIntervalMs: 100 } });
  });

  afterAll(() => app.close());

  it('is stored, and applied once the ticket is known: the later one, even if the earlier one arrives last', async () => {
    const stage = await stageOn(app);
    await putConnector(app, stage.orgId);
    const statuses: number[] = [];
    SCRIPT.creating = async external_ticket_id => {
      const at = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000).toISOString();
      for (const [status, seconds] of [
        ['resolved', -1],
        ['in_progress', -2],
      ] as const) {
        const report = { external_ticket_id, status, occurred_at: at(seconds) };
        const answer = await app.as(null)('POST', `/v1/integrations/itsm/webhook/${stage.orgId}`, report);
        statuses.push(answer.status);
      }
    };
    await stage.violate();
    const ticket = await until(async () => {
      const { items } = (await stage.call('GET', '/v1/itsm/tickets')).body;
      return items[0]?.sync_state === 'created' && items[0];
    });
    expect(statuses).toEqual([200, 200]);
    expect(ticket).toMatchObject({ status: 'resolved' });
    const reported = (await auditOf(app, ticket.id)).filter(({ action }) => action === 'ticket.status_reported');
    expect(reported.map(({ after }) => (after as { status: string }).status)).toEqual(['in_progress', 'resolved']);
    expect(await app.database.asOwner('select 1 from governance.itsm_parked_updates')).toEqual([]);
  });
});
