import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Counted } from '../support/itsm/counted.js';
import { auditOf, putConnector, putTask, putTicket, ticketRow } from '../support/itsm/ledger.js';
import { ReportingAdapter } from '../support/itsm/reporting-adapter.js';
import { send } from '../support/raw-request.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const COUNTER = 'governance.itsm.reports';
const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
// The flag adds `gc` to contexts that are created after it is set.
const collectGarbage = runInNewContext('gc') as () => void;

describe('ticket reports from unknown senders', () => {
  const counted = new Counted();
  let app: TestApp;
  let orgId: string;
  let connectorId: string;
  let ticket: string;
  /** The ticket without any report. */
  let unreported: Record<string, unknown>;

  beforeAll(async () => {
    counted.start();
    const options = { itsmAdapters: [ReportingAdapter], outbox: { workers: false } };
    app = await startTestApp({ ...options, trustedProxies: ['127.0.0.2/32'] });
  });

  afterAll(async () => {
    await app.close();
    counted.stop();
  });

  beforeEach(async () => {
    const mine = await app.addOrganization();
    ({ orgId } = mine);
    connectorId = await putConnector(app, orgId);
    ticket = await putTicket(app, orgId, { connectorId, externalTicketId: 'SEC-1' });
    unreported = await ticketRow(app, ticket);
    counted.take(COUNTER);
  });

  const closing = (external_ticket_id: string): Buffer =>
    Buffer.from(JSON.stringify({ external_ticket_id, status: 'closed' }));
  const CLOSE = closing('SEC-1');
  const webhook = (org = orgId): string => `${app.url}/v1/integrations/itsm/webhook/${org}`;
  const allow = async (allowed_networks: string[] | null): Promise<void> => {
    const call = app.as(await adminOf(orgId));
    expect((await call('PUT', '/v1/itsm/inbound', { allowed_networks })).status).toBe(200);
  };
  const parked = () =>
    app.database.asOwner(
      'select external_ticket_id from governance.itsm_parked_updates where org_id = $1 order by seq',
      [orgId],
    );
  const untouched = async (): Promise<void> => {
    expect(await ticketRow(app, ticket)).toEqual(unreported);
    expect(await auditOf(app, ticket)).toEqual([]);
    expect(await parked()).toEqual([]);
  };

  async function adminOf(org: string): Promise<string> {
    const { createToken } = await import('../support/seed.js');
    return createToken(app.app, org, 'admin');
  }

  it('spec 5: the inbound ITSM webhook takes no bearer and is restricted by address', async () => {
    await allow(['203.0.113.0/24', '2001:db8::/32']);
    // The body is not JSON, but the request is refused before the body is read.
    const { status, text } = await send(webhook(), { pieces: [Buffer.from('{ no json')] });
    expect([status, JSON.parse(text).error]).toEqual([403, 'forbidden']);
    expect(counted.take(COUNTER)).toEqual(['refused address']);
    await untouched();
    await allow(['127.0.0.1']);
    expect((await send(webhook(), { pieces: [CLOSE] })).status).toBe(200);
  });

  it.each<Record<string, string>>([
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '203.0.113.7, 127.0.0.1' },
    { forwarded: 'for=203.0.113.7' },
    { 'x-real-ip': '203.0.113.7' },
    { 'x-client-ip': '203.0.113.7' },
    { 'true-client-ip': '203.0.113.7' },
    { host: '203.0.113.7' },
    { host: '203.0.113.7', 'x-forwarded-host': '203.0.113.7', 'x-forwarded-for': '203.0.113.7' },
  ])('are not attributed to another address because of %j', async headers => {
    await allow(['203.0.113.0/24']);
    const { status } = await send(webhook(), { headers, pieces: [CLOSE] });
    expect(status).toBe(403);
    expect(counted.take(COUNTER)).toEqual(['refused address']);
    await untouched();
  });

  it('are not treated as local if they come through a trusted proxy', async () => {
    const proxied = await startTestApp({
      ...{ testDatabase: app.database, orgId, time: app.clock, trustedProxies: ['127.0.0.1'] },
      ...{ itsmAdapters: [ReportingAdapter], outbox: { workers: false } },
    });
    const url = `${proxied.url}/v1/integrations/itsm/webhook/${orgId}`;
    // While a ticket is being created, the app would store a report about an unknown ticket.
    const creating = await putTicket(app, orgId, { connectorId });
    await putTask(app, orgId, { id: creating, connectorId }, { isLeased: true });
    const through = async (address: string): Promise<number[]> => {
      const headers = { 'x-forwarded-for': address };
      const answers = [];
      for (const report of [CLOSE, closing('SEC-2')]) answers.push(await send(url, { headers, pieces: [report] }));
      return answers.map(({ status }) => status);
    };
    try {
      // In the second value, the client wrote the entries before the proxy's entry.
      for (const address of ['203.0.113.7', '10.0.0.1, 203.0.113.7', 'not an address']) {
        expect({ address, statuses: await through(address) }).toEqual({ address, statuses: [403, 403] });
        expect(counted.take(COUNTER)).toEqual(['refused address', 'refused address']);
        await untouched();
      }
      expect(await through('203.0.113.7, 10.0.0.1')).toEqual([200, 200]);
      expect(counted.take(COUNTER)).toEqual(['applied', 'parked']);
      expect(await parked()).toEqual([{ external_ticket_id: 'SEC-2' }]);
    } finally {
      await proxied.close();
    }
  });

  it('reach nothing more by a foreign Host header', async () => {
    const { status } = await send(webhook(), { headers: { host: 'evil.example' }, pieces: [CLOSE] });
    expect(status).toBe(200);
  });

  it('find nothing for a ticket of another organization', async () => {
    const theirs = await app.addOrganization();
    const { status } = await send(webhook(theirs.orgId), { pieces: [CLOSE] });
    expect(status).toBe(404);
    expect(counted.take(COUNTER)).toEqual(['refused unknown_ticket']);
    await untouched();
  });

  describe('of 10 MB', () => {
    const piece = Buffer.alloc(MIB, 'x');
    function* pieces(): Generator<Buffer> {
      yield Buffer.from('{"external_ticket_id":"SEC-1","status":"closed","notes":"');
      for (let n = 0; n < 10; n++) yield piece;
      yield Buffer.from('"}');
    }
    const length = [...pieces()].reduce((sum, { length: bytes }) => sum + bytes, 0);

    it.each([
      ['with a content-length', { 'content-length': String(length) }],
      ['in chunks', { 'transfer-encoding': 'chunked' }],
    ])('%s are refused and counted, change nothing and are not stored', async (_how, headers) => {
      // Measures repeatedly, because freed memory is returned a little later.
      const kept = async (): Promise<number> => {
        let least = Infinity;
        for (let round = 0; round < 3; round++) {
          collectGarbage();
          await new Promise(done => setTimeout(done, 20));
          least = Math.min(least, process.memoryUsage().arrayBuffers);
        }
        return least;
      };
      const before = await kept();
      const senders = 8;
      const allThere = Promise.withResolvers<void>();
      let [waiting, most] = [0, 0];
      // The chunked body is sent except for its end. Bodies with a known length are refused earlier.
      const beforeEnd = async (): Promise<void> => {
        waiting += 1;
        if (waiting === senders) {
          most = (await kept()) - before;
          allThere.resolve();
        }
        await allThere.promise;
      };
      const answers = await Promise.all(
        Array.from({ length: senders }, () => send(webhook(), { headers, pieces: pieces(), beforeEnd })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 413));
      expect(counted.take(COUNTER)).toEqual(answers.map(() => 'refused size'));
      most = Math.max(most, (await kept()) - before);
      allThere.resolve();
      // The bodies have 80 MB in total. The limit includes bytes in transit, because the sender also runs in this
      // process.
      expect(most).toBeLessThan(24 * MIB);
      await untouched();
    });

    it('with a wrong announced length are read only up to that length', async () => {
      const { status } = await send(webhook(), { headers: { 'content-length': '1e7' }, pieces: [CLOSE] }).catch(() => ({
        status: 400,
      }));
      expect(status).toBe(400);
      await untouched();
    });
  });

  it('are limited to 1 MiB, and exactly that is accepted', async () => {
    const padded = (bytes: number): Buffer => {
      const body = { external_ticket_id: 'SEC-1', status: 'closed', notes: '' };
      return Buffer.from(JSON.stringify({ ...body, notes: 'n'.repeat(bytes - JSON.stringify(body).length) }));
    };
    const forms: Record<string, string>[] = [{}, { 'transfer-encoding': 'chunked' }];
    for (const headers of forms) {
      expect((await send(webhook(), { headers, pieces: [padded(1024 * 1024 + 1)] })).status).toBe(413);
    }
    await untouched();
    expect((await send(webhook(), { pieces: [padded(1024 * 1024)] })).status).toBe(200);
  });

  it('cannot change who may report: the settings need a scope, are validated and audited', async () => {
    const call = app.as(await adminOf(orgId));
    expect((await app.as(null)('PUT', '/v1/itsm/inbound', { allowed_networks: ['0.0.0.0/0'] })).status).toBe(401);
    const initial = await call('GET', '/v1/itsm/inbound');
    expect(initial.body).toMatchObject({ is_default: true, updated_at: null });
    const faulty = await call('PUT', '/v1/itsm/inbound', { allowed_networks: ['203.0.113.0/24', '203.0.113.0/99'] });
    expect([faulty.status, faulty.body.details[0].field]).toEqual([400, 'allowed_networks[1]']);
    expect((await call('PUT', '/v1/itsm/inbound', {})).status).toBe(400);
    await allow(['203.0.113.0/24']);
    await allow(['203.0.113.0/24']);
    await allow([]);
    expect((await send(webhook(), { pieces: [CLOSE] })).status).toBe(403);
    await allow(null);
    expect((await call('GET', '/v1/itsm/inbound')).body).toEqual(initial.body);
    expect((await send(webhook(), { pieces: [CLOSE] })).status).toBe(200);
    expect((await auditOf(app, orgId)).map(({ action }) => action)).toEqual([
      'organization.created',
      ...Array.from({ length: 3 }, () => 'itsm_inbound.updated'),
    ]);
  });
});
