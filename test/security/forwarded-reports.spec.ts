import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { putConnector, putTicket, ticketRow } from '../support/itsm/ledger.js';
import { ReportingAdapter } from '../support/itsm/reporting-adapter.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';

const REPORT = { external_ticket_id: 'SEC-1', status: 'closed' };

describe.each([
  ['that is not trusted', {}],
  ['that is trusted', { trustedProxies: ['127.0.0.1'] }],
])('reports of tickets through a proxy in a private network %s', (title, options) => {
  const isTrusted = title === 'that is trusted';
  let app: TestApp;
  let ticket: string;

  beforeAll(async () => {
    app = await startTestApp({ ...options, itsmAdapters: [ReportingAdapter], outbox: { workers: false } });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    const connectorId = await putConnector(app, app.orgId);
    await app.database.asOwner('delete from governance.tickets');
    ticket = await putTicket(app, app.orgId, { connectorId, externalTicketId: 'SEC-1' });
  });

  const report = (headers: Record<string, string>): Promise<Answer> =>
    app.as(null)('POST', `/v1/integrations/itsm/webhook/${app.orgId}`, REPORT, headers);
  const status = async (): Promise<unknown> => (await ticketRow(app, ticket))['status'];

  it.each([
    [{ 'x-forwarded-for': '10.0.0.7' }, isTrusted ? 200 : 403],
    [{ 'x-forwarded-for': '203.0.113.7' }, 403],
    [{ 'x-forwarded-for': '' }, isTrusted ? 200 : 403],
    [{ forwarded: 'for=10.0.0.7' }, 403],
    [{ forwarded: 'for=10.0.0.7', 'x-forwarded-for': '10.0.0.7' }, isTrusted ? 200 : 403],
    ...[
      ...['via', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-host', 'cf-connecting-ip', 'true-client-ip'],
      ...['x-forwarded-port', 'x-forwarded-server', 'x-forwarded', 'forwarded-for', 'x-original-forwarded-for'],
      ...['x-client-ip', 'x-cluster-client-ip', 'fastly-client-ip', 'cf-connecting-ipv6', 'x-appengine-user-ip'],
      ...['x-azure-clientip', 'x-envoy-external-address', 'cdn-loop'],
    ].flatMap((header): [Record<string, string>, number][] => [
      [{ [header]: '10.0.0.7' }, 403],
      [{ [header]: '10.0.0.7', 'x-forwarded-for': '10.0.0.7' }, isTrusted ? 200 : 403],
    ]),
    [{}, 200],
  ])('are answered, with the headers %j, with %d', async (headers, expected) => {
    const answer = await report(headers);
    expect([answer.status, await status()]).toEqual([expected, expected === 200 ? 'closed' : 'open']);
    if (expected === 403) expect(answer.text).not.toContain('127.0.0.1');
  });

  it('are refused with the remedy if the proxy does not name the client in a trusted header', async () => {
    const { body } = await report({ forwarded: 'for=10.0.0.7' });
    expect(body).toMatchObject({ error: 'forbidden', message: expect.stringContaining('GOVERNANCE_TRUSTED_PROXIES') });
  });
});

describe('an untrusted proxy in a private network', () => {
  it.each(['x-forwarded-for', 'via', 'x-real-ip'])(
    'is logged once, with the remedy, when its first request arrives with %s',
    async header => {
      const warnings: string[] = [];
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
        if (String(line).includes('not trusted')) warnings.push(String(line));
      });
      const app = await startTestApp();
      try {
        await app.call('GET', '/v1/organization');
        expect(warnings).toEqual([]);
        for (let n = 0; n < 3; n++) {
          await app.call('GET', '/v1/organization', undefined, { [header]: '203.0.113.7' });
        }
        expect(warnings).toEqual([expect.stringMatching(/127\.0\.0\.1 .*GOVERNANCE_TRUSTED_PROXIES/)]);
      } finally {
        warn.mockRestore();
        await app.close();
      }
    },
  );
});
