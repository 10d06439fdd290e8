import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JiraAdapter } from '#itsm';
import { putTask, putTicket, ticketRow } from '../support/itsm/ledger.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';

const SECRET = 'a-secret-of-webhooks-0123456789';
const OTHER = 'another-secret-0123456789';
const SIGNATURE = 'x-hub-signature';

const signed = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** A webhook of Jira whose bytes differ from its re-serialized JSON. */
const webhookOf = (key: string, category = 'done'): string =>
  ` ${JSON.stringify({ webhookEvent: 'jira:issue_updated', issue: { key, fields: { status: { name: 'Ü', statusCategory: { key: category } } } } }, null, 1)}\n`;

describe('the webhook_secret of a connector', () => {
  let app: TestApp;
  let orgId: string;
  let call: Call;

  beforeAll(async () => {
    app = await startTestApp({ outbox: { workers: false } });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ({ orgId, call } = await app.addOrganization());
  });

  const connect = (secrets: object, name = 'Jira', kind = 'jira'): Promise<Answer> => {
    const jira = { instance_url: 'https://acme.atlassian.net', project_key: 'SEC', issue_type: 'Task' };
    const settings = kind === 'jira' ? jira : { instance_url: 'https://acme.service-now.example' };
    const own = kind === 'jira' ? { email: 'a@example.com', api_token: 'token' } : { username: 'u', password: 'p' };
    return call('POST', '/v1/itsm/connectors', { kind, name, settings, secrets: { ...own, ...secrets } });
  };
  const connected = async (secrets: object, name?: string): Promise<string> => {
    const { status, body } = await connect(secrets, name);
    expect(status).toBe(201);
    return body.id;
  };
  const ticketOf = (connectorId: string, externalTicketId: string): Promise<string> =>
    putTicket(app, orgId, { connectorId, kind: 'jira', externalTicketId });
  const report = async (body: string, headers: Record<string, string> = {}, query = ''): Promise<number> => {
    const all = { 'content-type': 'application/json', ...headers };
    return (await app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}${query}`, body, all)).status;
  };
  const statusOf = async (ticket: string): Promise<unknown> => (await ticketRow(app, ticket))['status'];

  it('must sign the exact bytes of each report, and no ticket changes without it', async () => {
    const connectorId = await connected({ webhook_secret: SECRET });
    const ticket = await ticketOf(connectorId, 'SEC-1');
    const body = webhookOf('SEC-1');
    const right = signed(body);
    const wrong = [
      ...['', right.slice(0, -1), right.slice(7), right.replace('sha256', 'sha1'), `${right}, ${right}`, SECRET],
      ...[signed(body, OTHER), signed(JSON.stringify(JSON.parse(body))), signed(webhookOf('SEC-1', 'new'))],
    ];
    expect(await report(body)).toBe(401);
    for (const signature of wrong)
      expect([signature, await report(body, { [SIGNATURE]: signature })]).toEqual([signature, 401]);
    // Sending the secret itself is no proof. The refusal does not tell which tickets exist.
    expect(await report(body, { 'x-report-secret': SECRET })).toBe(401);
    expect(await report(webhookOf('SEC-404'))).toBe(401);
    expect(await report(body, {}, `?connector_id=${connectorId}`)).toBe(401);
    expect(await statusOf(ticket)).toBe('open');
    expect(await report(body, { [SIGNATURE]: right })).toBe(200);
    expect(await statusOf(ticket)).toBe('resolved');
    const unknown = webhookOf('SEC-404');
    expect(await report(unknown, { [SIGNATURE]: signed(unknown) })).toBe(204);
    const own = JSON.stringify({ external_ticket_id: 'SEC-1', status: 'closed' });
    expect([await report(own), await report(own, { [SIGNATURE]: signed(own) })]).toEqual([401, 200]);
  });

  it('is valid only for the tickets of its own connector, and tickets of connectors without a secret need none', async () => {
    const [one, two, free] = [
      await connected({ webhook_secret: SECRET }, 'One'),
      await connected({ webhook_secret: OTHER }, 'Two'),
      await connected({}, 'Free'),
    ];
    const tickets = [await ticketOf(one, 'A-1'), await ticketOf(two, 'B-1'), await ticketOf(free, 'C-1')];
    const [first, second, third] = [webhookOf('A-1'), webhookOf('B-1'), webhookOf('C-1')];
    expect(await report(second, { [SIGNATURE]: signed(second) })).toBe(204);
    expect([await report(first), await report(second)]).toEqual([401, 401]);
    expect(await Promise.all(tickets.map(statusOf))).toEqual(['open', 'open', 'open']);
    // Jira may sign with a secret that is not configured here.
    expect(await report(third, { [SIGNATURE]: signed(third, 'a secret of nobody here') })).toBe(200);
    expect(await report(second, { [SIGNATURE]: signed(second, OTHER) })).toBe(200);
    expect(await Promise.all(tickets.map(statusOf))).toEqual(['open', 'resolved', 'resolved']);
  });

  it('is an alternative to a report_secret', async () => {
    await ticketOf(await connected({ webhook_secret: SECRET, report_secret: OTHER }), 'SEC-1');
    const body = webhookOf('SEC-1');
    expect(await report(body)).toBe(401);
    expect(await report(body, { 'x-report-secret': OTHER })).toBe(200);
    expect(await report(body, { [SIGNATURE]: signed(body) })).toBe(200);
    expect(await report(body, { [SIGNATURE]: signed(body, OTHER) })).toBe(401);
  });

  it('prevents that reports without a signature wait for a ticket of its connector', async () => {
    const connectorId = await connected({ webhook_secret: SECRET });
    const id = await putTicket(app, orgId, { connectorId, kind: 'jira' });
    await putTask(app, orgId, { id, connectorId }, { isLeased: true });
    const body = webhookOf('SEC-9');
    expect(await report(body)).toBe(401);
    expect(await report(body, { [SIGNATURE]: signed(body) })).toBe(200);
  });

  it('is set, replaced and removed by an update of the connector', async () => {
    const connectorId = await connected({});
    await ticketOf(connectorId, 'SEC-1');
    const body = webhookOf('SEC-1');
    const change = async (secrets: object): Promise<string[]> =>
      (await call('PATCH', `/v1/itsm/connectors/${connectorId}`, { secrets })).body.secret_names;
    expect(await report(body)).toBe(200);
    expect(await change({ webhook_secret: SECRET })).toEqual(['api_token', 'email', 'webhook_secret']);
    expect([await report(body), await report(body, { [SIGNATURE]: signed(body) })]).toEqual([401, 200]);
    expect(await change({ webhook_secret: OTHER })).toEqual(['api_token', 'email', 'webhook_secret']);
    expect(await report(body, { [SIGNATURE]: signed(body) })).toBe(401);
    expect(await change({ report_secret: SECRET })).toEqual(['api_token', 'email', 'report_secret', 'webhook_secret']);
    expect(await report(body, { [SIGNATURE]: signed(body, OTHER) })).toBe(200);
    expect(await change({ webhook_secret: null, report_secret: null })).toEqual(['api_token', 'email']);
    expect(await report(body)).toBe(200);
  });

  it('is a field of platforms that sign, and other platforms refuse it', async () => {
    const { body } = await call('GET', '/v1/itsm/kinds');
    const kinds = body.items.map((item: { kind: string; secrets_schema: { properties: object } }) => [
      item.kind,
      'webhook_secret' in item.secrets_schema.properties,
    ]);
    expect(Object.fromEntries(kinds)).toMatchObject({
      azure_devops: false,
      gitlab: true,
      jira: true,
      jira_data_center: true,
      servicenow: false,
    });
    const refused = await connect({ webhook_secret: SECRET }, 'Desk', 'servicenow');
    const message = 'is not a field of this kind of connector';
    expect([refused.status, refused.body.details]).toEqual([400, [{ field: 'secrets.webhook_secret', message }]]);
    expect(refused.text).not.toContain(SECRET);
    const short = await connect({ webhook_secret: 'short' });
    expect(short.body.details).toEqual([
      { field: 'secrets.webhook_secret', message: 'must have at least 16 characters' },
    ]);
  });

  it('is in no answer and no audit entry', async () => {
    await connected({ webhook_secret: SECRET });
    const shown = [(await call('GET', '/v1/itsm/connectors')).text, (await call('GET', '/v1/audit-log')).text];
    expect(shown.join()).toContain('webhook_secret');
    expect(shown.join()).not.toContain(SECRET);
  });
});

describe('a webhook that Jira delivers again', () => {
  it.each([
    ['by the id of its change', { changelog: { id: '7' } }, 'jira:10:7'],
    ['by the id of its delivery, if it contains no change', {}, 'jira-delivery:1f0a-7:'],
  ])('is recognized %s', (_how, more, eventId) => {
    const issue = { id: '10', key: 'SEC-1', fields: { status: { statusCategory: { key: 'new' } } } };
    const headers = { 'x-atlassian-webhook-identifier': '1f0a-7' };
    const body = { webhookEvent: 'jira:issue_created', issue, ...more };
    expect(new JiraAdapter().mapInbound(body, { headers, bytes: null })?.eventId).toBe(eventId);
  });

  it('has no id if the header is missing', () => {
    const issue = { id: '10', key: 'SEC-1', fields: { status: { statusCategory: { key: 'new' } } } };
    const headers = { 'x-atlassian-webhook-identifier': 'x'.repeat(300) };
    const update = new JiraAdapter().mapInbound(
      { webhookEvent: 'jira:issue_created', issue },
      { headers, bytes: null },
    );
    expect(update).not.toHaveProperty('eventId');
  });
});
