import { Body, Controller, Param, Post } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Counted } from '../../support/itsm/counted.js';
import { putConnector, putTicket, ticketRow } from '../../support/itsm/ledger.js';
import { send } from '../../support/raw-request.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { hosted, KINDS, type HostPlan } from './hosts.support.js';

const REPORTS = 'governance.itsm.reports';

@Controller()
class Neighbours {
  @Post(['crm/v1/integrations/itsm/webhook/:list', 'v1/integrations/github/commands', 'plain'])
  echo(@Param('list') list: string | undefined, @Body() body: unknown): unknown {
    return { list, body };
  }
}

describe('public routes in a host', () => {
  const counted = new Counted();
  let app: TestApp;
  let name: string;
  let ticket: string;

  beforeAll(async () => {
    counted.start();
    app = await startTestApp({ outbox: { workers: false } });
    const connectorId = await putConnector(app, app.orgId);
    name = `O-${Math.random()}`;
    ticket = await putTicket(app, app.orgId, { connectorId, externalTicketId: name });
  });

  afterAll(async () => {
    await app.close();
    counted.stop();
  });

  /** Sends a report. Returns the status of the answer, and what the counter has counted. */
  async function report(
    url: string,
    size: number,
    headers: Record<string, string> = { 'transfer-encoding': 'chunked' },
  ): Promise<unknown[]> {
    counted.take(REPORTS);
    const whole = JSON.stringify({ external_ticket_id: name, status: 'closed', notes: 'n'.repeat(size) });
    const pieces = size === 0 ? [] : [Buffer.from(whole)];
    const address = `${url}/v1/integrations/itsm/webhook/${app.orgId}`;
    const { status } = await send(address, { headers, pieces, isPatient: true });
    return [status, counted.take(REPORTS)];
  }

  const PLACES: HostPlan[] = [
    { module: { path: 'governance' } },
    { module: { path: '/governance/' }, prefix: 'api' },
    { prefix: 'tenants/:tenant' },
  ];

  it.each(KINDS.flatMap(kind => PLACES.map(plan => [kind, plan] as const)))(
    'on %s limit the body size, wherever the host has mounted them: %j',
    async (kind, plan) => {
      await hosted(app, kind, plan, async url => {
        const base = plan.prefix === undefined ? url : `${url}/${plan.prefix.replace(':tenant', 'one')}`;
        const place = `${base}${plan.module?.path === undefined ? '' : '/governance'}`;
        expect(await report(place, 1_100_000)).toEqual([413, ['refused size']]);
      });
      expect((await ticketRow(app, ticket)).status).toBe('open');
    },
  );

  const OTHERS: HostPlan[] = [{ module: { path: 'governance' } }, { module: { controllers: false } }];

  it.each(KINDS.flatMap(kind => OTHERS.map(plan => [kind, plan] as const)))(
    "on %s do not affect the host's own routes with such names: %j",
    async (kind, plan) => {
      await hosted(app, kind, { ...plan, controllers: [Neighbours] }, async url => {
        for (const path of ['plain', 'v1/integrations/github/commands', 'crm/v1/integrations/itsm/webhook/abc']) {
          const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
          const answer: unknown = await (await fetch(`${url}/${path}`, init)).json();
          expect([path, answer]).toEqual([path, expect.objectContaining({ body: { a: 1 } })]);
        }
      });
    },
  );

  it.each<Record<string, string>>([{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }])(
    'on express are answered if an earlier parser has found no body: %j',
    async headers => {
      const server = new ExpressAdapter();
      server.useBodyParser('json', false, {});
      await hosted(app, 'express', { server }, async url => {
        expect(await report(url, 0, headers)).toEqual([400, ['refused body']]);
      });
    },
  );

  describe.each(KINDS)('on %s', kind => {
    const SENT: [string, number, Record<string, string>][] = [
      ['of another content type', 10, { 'content-type': 'text/foo', 'transfer-encoding': 'chunked' }],
      ['without a content type', 10, { 'content-type': '', 'transfer-encoding': 'chunked' }],
      ['of 100 KB with another content type', 100_000, { 'content-type': 'text/foo', 'transfer-encoding': 'chunked' }],
      ['without a body', 0, { 'content-length': '0' }],
    ];

    it.each(SENT)('an unauthenticated request gets 401, whatever its body: %s', async (_what, size, headers) => {
      await app.call('PUT', '/v1/itsm/inbound', { allowed_networks: ['203.0.113.0/24'] });
      try {
        await hosted(app, kind, {}, async url => {
          expect(await report(url, size, headers)).toEqual([403, ['refused address']]);
        });
      } finally {
        await app.call('PUT', '/v1/itsm/inbound', { allowed_networks: null });
      }
    });

    it.each(SENT.slice(0, 2))(
      'a report %s gets an error that names the accepted content type',
      async (_what, size, headers) => {
        await hosted(app, kind, {}, async url => {
          const [status] = await report(url, size, headers);
          expect(status).toBe(415);
        });
      },
    );
  });
});
