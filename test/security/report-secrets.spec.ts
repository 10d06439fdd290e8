import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { putTask, putTicket, ticketRow } from '../support/itsm/ledger.js';
import { ReportingAdapter } from '../support/itsm/reporting-adapter.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { OrgDatabase, sqlOf } from '#database';
import { NewTickets } from '../../libs/itsm/tickets/new-tickets.js';

const SECRET = 'a-secret-of-reports-0123456789';
const OTHER = 'another-secret-0123456789';
const HEADER = 'x-report-secret';

const NAME_TICKET = `
update governance.tickets set external_ticket_id = $3, sync_state = 'created', status = 'open'
where org_id = $1 and id = $2`;

describe('the report_secret of a connector', () => {
  let app: TestApp;
  let orgId: string;
  let call: Call;

  beforeAll(async () => {
    app = await startTestApp({ itsmAdapters: [ReportingAdapter], outbox: { workers: false } });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ({ orgId, call } = await app.addOrganization());
  });

  const connect = async (secrets: object, name = 'Desk'): Promise<Answer> =>
    call('POST', '/v1/itsm/connectors', {
      ...{ kind: 'servicenow', name, settings: { instance_url: 'https://acme.service-now.example' } },
      secrets: { username: 'u', password: 'p', ...secrets },
    });
  const connected = async (secrets: object, name?: string): Promise<string> => {
    const { status, body } = await connect(secrets, name);
    expect(status).toBe(201);
    return body.id;
  };
  const ticketOf = (connectorId: string, externalTicketId: string): Promise<string> =>
    putTicket(app, orgId, { connectorId, kind: 'servicenow', externalTicketId });
  const report = async (ticket: string, secret?: string, query = ''): Promise<number> => {
    const headers: Record<string, string> = secret === undefined ? {} : { [HEADER]: secret };
    const body = { external_ticket_id: ticket, status: 'closed' };
    return (await app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}${query}`, body, headers)).status;
  };
  const statusOf = async (ticket: string): Promise<unknown> => (await ticketRow(app, ticket))['status'];

  it('is required in every report of its tickets, and no ticket changes without it', async () => {
    const connectorId = await connected({ report_secret: SECRET });
    const ticket = await ticketOf(connectorId, 'INC1');
    const wrong = [undefined, '', OTHER, `${SECRET}x`, SECRET.slice(1), SECRET.toUpperCase(), `${SECRET}, ${SECRET}`];
    for (const secret of wrong) expect(await report('INC1', secret)).toBe(401);
    expect(await report('INC1', OTHER, `?connector_id=${connectorId}`)).toBe(401);
    // The refusal is the same for an unknown ticket, so it does not reveal which tickets exist.
    expect(await report('INC404')).toBe(401);
    expect(await statusOf(ticket)).toBe('open');
    expect(await report('INC1', SECRET)).toBe(200);
    expect(await statusOf(ticket)).toBe('closed');
    expect(await report('INC404', SECRET)).toBe(404);
  });

  it('may be the password of Basic authentication, with any user name', async () => {
    const ticket = await ticketOf(await connected({ report_secret: SECRET }), 'INC1');
    const by = async (credentials: string, more: object = {}): Promise<number> => {
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
      const body = { external_ticket_id: 'INC1', status: 'closed' };
      const path = `/v1/integrations/itsm/webhook/${orgId}`;
      return (await app.as(null)('POST', path, body, { authorization, ...more })).status;
    };
    const wrong = [`u:${OTHER}`, `${SECRET}:`, SECRET, `u:${SECRET}:`, ':', ''];
    for (const credentials of wrong) expect([credentials, await by(credentials)]).toEqual([credentials, 401]);
    expect(await statusOf(ticket)).toBe('open');
    expect([await by(`azure:${SECRET}`), await by(`:${SECRET}`)]).toEqual([200, 200]);
    expect(await statusOf(ticket)).toBe('closed');
    // The credential of a proxy proves nothing about the report. It is ignored and causes no error.
    expect(await by('proxy:its own password', { [HEADER]: SECRET })).toBe(200);
    await ticketOf(await connected({}, 'Free'), 'INC2');
    const free = { external_ticket_id: 'INC2', status: 'closed' };
    const proxied = { authorization: `Basic ${Buffer.from('proxy:password').toString('base64')}` };
    const path = `/v1/integrations/itsm/webhook/${orgId}`;
    expect((await app.as(null)('POST', path, free, proxied)).status).toBe(200);
  });

  it('is required in addition to the list of addresses', async () => {
    await ticketOf(await connected({ report_secret: SECRET }), 'INC1');
    await call('PUT', '/v1/itsm/inbound', { allowed_networks: ['203.0.113.0/24'] });
    expect(await report('INC1', SECRET)).toBe(403);
  });

  it('is valid only for the tickets of its own connector, and tickets of connectors without a secret need none', async () => {
    const [one, two, free] = [
      await connected({ report_secret: SECRET }, 'One'),
      await connected({ report_secret: OTHER }, 'Two'),
      await connected({}, 'Free'),
    ];
    const tickets = [await ticketOf(one, 'INC1'), await ticketOf(two, 'INC2'), await ticketOf(free, 'INC3')];
    expect([await report('INC2', SECRET), await report('INC1', OTHER)]).toEqual([404, 404]);
    expect([
      await report('INC1'),
      await report('INC2'),
      await report('INC1', undefined, `?connector_id=${one}`),
    ]).toEqual([401, 401, 401]);
    expect(await Promise.all(tickets.map(statusOf))).toEqual(['open', 'open', 'open']);
    expect([await report('INC3'), await report('INC2', OTHER), await report('INC404')]).toEqual([200, 200, 404]);
    expect(await Promise.all(tickets.map(statusOf))).toEqual(['open', 'closed', 'closed']);
  });

  it('identifies the connector, so that two connectors with the same secret need ?connector_id=', async () => {
    const [one, two] = [
      await connected({ report_secret: SECRET }, 'One'),
      await connected({ report_secret: SECRET }, 'Two'),
    ];
    const ticket = await ticketOf(one, 'INC1');
    await ticketOf(two, 'INC1');
    expect(await report('INC1', SECRET)).toBe(400);
    expect(await report('INC1', SECRET, `?connector_id=${one}`)).toBe(200);
    expect(await statusOf(ticket)).toBe('closed');
  });

  it('is required, too, if a report without it was stored before the ticket existed', async () => {
    const [closed, free] = [await connected({ report_secret: SECRET }, 'Closed'), await connected({}, 'Free')];
    const [mine, other] = [closed, free].map(connectorId => ({ connectorId, kind: 'servicenow' }));
    const ids = [await putTicket(app, orgId, mine!), await putTicket(app, orgId, other!)];
    await putTask(app, orgId, { id: ids[0]!, connectorId: closed }, { isLeased: true });
    expect(await report('INC1')).toBe(404);
    expect(await report('INC2', SECRET)).toBe(200);
    await putTask(app, orgId, { id: ids[1]!, connectorId: free }, { isLeased: true });
    expect(await report('INC1')).toBe(200);
    const named = async (id: string, connectorId: string, externalTicketId: string): Promise<unknown> => {
      await app.app.get(OrgDatabase).transaction(orgId, async em => {
        const values = [orgId, id, externalTicketId];
        await sqlOf(em).query(NAME_TICKET, values);
        await app.app.get(NewTickets).tell(em, orgId, [{ id, connectorId, externalTicketId }]);
      });
      return statusOf(id);
    };
    expect(await named(ids[0]!, closed, 'INC1')).toBe('open');
    expect(await named(ids[0]!, closed, 'INC2')).toBe('closed');
    expect(await named(ids[1]!, free, 'INC1')).toBe('closed');
  });

  it('is set, replaced and removed by an update of the connector, and its other secrets stay', async () => {
    const connectorId = await connected({});
    await ticketOf(connectorId, 'INC1');
    const change = async (secrets: object): Promise<string[]> =>
      (await call('PATCH', `/v1/itsm/connectors/${connectorId}`, { secrets })).body.secret_names;
    expect(await report('INC1')).toBe(200);
    expect(await change({ report_secret: SECRET })).toEqual(['password', 'report_secret', 'username']);
    expect([await report('INC1'), await report('INC1', SECRET)]).toEqual([401, 200]);
    expect(await change({ report_secret: OTHER })).toEqual(['password', 'report_secret', 'username']);
    expect([await report('INC1', SECRET), await report('INC1', OTHER)]).toEqual([401, 200]);
    expect(await change({ password: 'q' })).toEqual(['password', 'report_secret', 'username']);
    expect(await report('INC1', OTHER)).toBe(200);
    const settings = { instance_url: 'https://other.service-now.example' };
    const secrets = { username: 'u', password: 'p' };
    expect(
      (await call('PATCH', `/v1/itsm/connectors/${connectorId}`, { settings, secrets })).body.secret_names,
    ).toEqual(['password', 'report_secret', 'username']);
    expect(await change({ report_secret: null })).toEqual(['password', 'username']);
    expect(await report('INC1')).toBe(200);
  });

  it.each([
    ['short', 'must have at least 16 characters'],
    [`${'x'.repeat(20)} y`, 'must be visible ASCII characters without spaces'],
    ['x'.repeat(256), 'must have at most 255 characters'],
    [17, 'must be a text'],
  ])('is refused as %j, with the name of the field and without the value', async (report_secret, message) => {
    const { status, body, text } = await connect({ report_secret });
    expect([status, body.details]).toEqual([400, [{ field: 'secrets.report_secret', message }]]);
    expect(text).not.toContain(`"${report_secret}"`);
  });

  it("is a field of every platform's form", async () => {
    const { body } = await call('GET', '/v1/itsm/kinds');
    for (const { secrets_schema } of body.items) {
      expect(secrets_schema.properties.report_secret).toMatchObject({ type: 'string', minLength: 16 });
      expect(secrets_schema.required ?? []).not.toContain('report_secret');
    }
  });

  it('is in no answer, log or audit entry', async () => {
    const lines: string[] = [];
    const keep = (...parts: unknown[]): void => void lines.push(JSON.stringify(parts));
    const spies = (['log', 'warn', 'error', 'debug', 'verbose', 'fatal'] as const).flatMap(level => [
      jest.spyOn(Logger.prototype, level).mockImplementation(keep),
      jest.spyOn(ConsoleLogger.prototype, level).mockImplementation(keep),
    ]);
    const { text } = await connect({ report_secret: SECRET });
    const { body } = await call('GET', '/v1/itsm/connectors');
    await ticketOf(body.items[0].id, 'INC1');
    for (const secret of [SECRET, `${SECRET}-wrong`]) await report('INC1', secret);
    const shown = [text, JSON.stringify(body), (await call('GET', '/v1/audit-log')).text];
    for (const spy of spies) spy.mockRestore();
    expect(lines.join()).toContain('sign_in_failed');
    expect(shown.join() + lines.join()).not.toContain(SECRET);
    const stored = await app.database.asOwner('select encode(ciphertext, $1) as text from governance.secrets', [
      'escape',
    ]);
    expect(JSON.stringify(stored)).not.toContain(SECRET);
  });
});
