import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { slackSignature } from '../../../libs/itsm/chat/slack/slack-signature.js';
import { Counted } from '../../support/itsm/counted.js';
import { auditOf, putConnector, putTicket, ticketRow } from '../../support/itsm/ledger.js';
import { send } from '../../support/raw-request.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { hosted, KINDS } from './hosts.support.js';

const MIB = 1024 * 1024;
const SECRET = 'x'.repeat(32);
const PARSERS: readonly NestApplicationOptions[] = [{}, { bodyParser: false }, { rawBody: true }];

describe('commands and reports in a host', () => {
  const counted = new Counted();
  let app: TestApp;

  beforeAll(async () => {
    counted.start();
    app = await startTestApp({ outbox: { workers: false } });
    const workspace = { platform: 'slack', workspace: 'T0HOST', signing_secret: SECRET };
    await app.call('POST', '/v1/chat/workspaces', workspace);
  });

  afterAll(async () => {
    await app.close();
    counted.stop();
  });

  async function type(url: string, text: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const form = { command: '/service-alerts', team_id: 'T0HOST', user_id: 'U0HOST', trigger_id: `${Math.random()}` };
    const body = new URLSearchParams({ ...form, text }).toString();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const response = await fetch(`${url}/v1/integrations/slack/commands`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': slackSignature(SECRET, timestamp, Buffer.from(body)),
      },
      body,
    });
    // Every answer is a JSON object.
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it.each(KINDS.flatMap(kind => PARSERS.map(options => [kind, options] as const)))(
    'on %s with %j: a signature is verified over the received bytes, and sizes are limited',
    async (kind, options) => {
      const connectorId = await putConnector(app, app.orgId);
      const externalTicketId = `H-${Math.random()}`;
      const ticket = await putTicket(app, app.orgId, { connectorId, externalTicketId });
      await hosted(app, kind, { options }, async url => {
        // The text contains white space that a parser would change.
        const { status, body } = await type(url, 'help  me+~*');
        expect([status, body]).toEqual([200, expect.objectContaining({ text: expect.stringContaining('not linked') })]);
        expect((await type(url, 'x'.repeat(17_000))).status).toBe(413);
        const report = async (notes: string): Promise<number> => {
          const sent = JSON.stringify({ external_ticket_id: externalTicketId, status: 'closed', notes });
          const headers = { 'content-type': 'application/json' };
          const path = `/v1/integrations/itsm/webhook/${app.orgId}`;
          return (await fetch(url + path, { method: 'POST', headers, body: sent })).status;
        };
        expect(await report('n'.repeat(1024 * 1024))).toBe(413);
        expect((await ticketRow(app, ticket)).status).toBe('open');
        expect(await report('n'.repeat(900_000))).toBe(200);
        expect((await ticketRow(app, ticket)).status).toBe('closed');
      });
    },
  );

  describe.each(KINDS.flatMap(kind => PARSERS.map(options => [kind, options] as const)))(
    'on %s with %j',
    (kind, options) => {
      const PIECES = 10;
      function* body(name: string, piece: Buffer, count: number): Generator<Buffer> {
        yield Buffer.from(`{"external_ticket_id":"${name}","status":"closed","notes":"`);
        for (let n = 0; n < count; n++) yield piece;
        yield Buffer.from('"}');
      }

      it.each([
        ['10 MB with a content-length', MIB, true],
        ['10 MB in chunks', MIB, false],
        ['2 MB with a content-length', 200_000, true],
        ['2 MB in chunks', 200_000, false],
      ])('a report of %s is refused and counted, and changes nothing', async (_what, size, isAnnounced) => {
        const connectorId = await putConnector(app, app.orgId);
        const name = `F-${Math.random()}`;
        const ticket = await putTicket(app, app.orgId, { connectorId, externalTicketId: name });
        const pieces = [...body(name, Buffer.alloc(size, 'x'), PIECES)];
        const length = pieces.reduce((sum, { length: bytes }) => sum + bytes, 0);
        await hosted(app, kind, { options }, async url => {
          counted.take('governance.itsm.reports');
          const headers: Record<string, string> = isAnnounced
            ? { 'content-length': String(length) }
            : { 'transfer-encoding': 'chunked' };
          const { status } = await send(`${url}/v1/integrations/itsm/webhook/${app.orgId}`, {
            headers,
            pieces,
            isPatient: true,
          });
          expect([status, counted.take('governance.itsm.reports')]).toEqual([413, ['refused size']]);
        });
        expect((await ticketRow(app, ticket)).status).toBe('open');
        expect(await auditOf(app, ticket)).toEqual([]);
      });
    },
  );

  it.each([
    '/V1/Integrations/Itsm/Webhook/:org',
    '/v1/integrations/itsm/webhook/:org/',
    '/v1/integrations/itsm/webhook/:org?connector_id=:connector',
  ])('on express the size of a report is limited for every spelling of the path: %s', async spelled => {
    const connectorId = await putConnector(app, app.orgId);
    const name = `E-${Math.random()}`;
    await putTicket(app, app.orgId, { connectorId, externalTicketId: name });
    await hosted(app, 'express', {}, async url => {
      const report = (notes: string): Promise<{ status: number }> => {
        const pieces = [Buffer.from(JSON.stringify({ external_ticket_id: name, status: 'closed', notes }))];
        const headers = { 'transfer-encoding': 'chunked' };
        return send(url + spelled.replace(':org', app.orgId).replace(':connector', connectorId), {
          headers,
          pieces,
          isPatient: true,
        });
      };
      expect((await report('n'.repeat(1024 * 1024))).status).toBe(413);
      expect((await report('n')).status).toBe(200);
    });
  });

  it('on express, with parsers before governance that drop the signed bytes: the host gets an error with the remedy', async () => {
    const server = new ExpressAdapter();
    server.useBodyParser('urlencoded', false, { extended: true });
    await hosted(app, 'express', { server }, async url => {
      const { status, body } = await type(url, 'help');
      expect([status, body['message']]).toEqual([503, expect.stringContaining('after NestFactory.create')]);
    });
  });
});
