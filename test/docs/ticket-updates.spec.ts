import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JiraAdapter } from '../../libs/itsm/adapters/jira/jira.adapter.js';
import { AdapterRegistry } from '../../libs/itsm/connectors/adapter-registry.js';
import { ReportReader } from '../../libs/itsm/inbound/http/report-reader.js';
import { putConnector, putTicket, ticketRow } from '../support/itsm/ledger.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { blocksOf } from './markdown.js';

const PAGE = 'docs/ticket-updates.md';
const blocks = (mark: string): string[] =>
  blocksOf(PAGE)
    .filter(({ marks }) => marks[0] === mark)
    .map(({ code }) => code);

/** Values that Jira may insert for smart values. */
const SMART_VALUES = {
  'issue.key': 'SEC-17',
  'issue.id': '10017',
  'issue.resolution.name.jsonEncode': String.raw`Won\u0027t \"do\"`,
  'initiator.emailAddress': 'ada@example.com',
  'issue.updated': '2026-11-20T11:00:00.0+0000',
};

describe('the recipes for updates of tickets', () => {
  let app: TestApp;
  let orgId: string;
  let ticket: string;

  beforeAll(async () => {
    app = await startTestApp({ outbox: { workers: false } });
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    ({ orgId } = await app.addOrganization());
    const connectorId = await putConnector(app, orgId);
    ticket = await putTicket(app, orgId, { connectorId, externalTicketId: 'SEC-17' });
  });

  const report = (body: string): Promise<Answer> =>
    app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, body, { 'content-type': 'application/json' });

  it('have a body that the service accepts', async () => {
    const [body = '', ...others] = blocks('report');
    expect(others).toEqual([]);
    expect((await report(body)).body).toEqual({ external_ticket_id: 'SEC-17', status: 'resolved' });
    expect(await ticketRow(app, ticket)).toMatchObject({ resolution: 'Done', updated_by: 'ada@example.com' });
  });

  it('have one body of Jira Automation per status category, valid for all values that Jira inserts', async () => {
    const templates = blocks('automation');
    const seen: string[] = [];
    for (const template of templates) {
      for (const empty of [false, true]) {
        const body = template.replaceAll(/\{\{([^}]+)\}\}/g, (_, name: string) => {
          const value: unknown = Reflect.get(SMART_VALUES, name);
          if (typeof value !== 'string') throw new Error(`${name} has no value here`);
          return empty && name !== 'issue.key' ? '' : value;
        });
        const { status, body: answer } = await report(body);
        expect([body, status]).toEqual([body, 200]);
        seen.push(answer.status);
        if (body.includes('Won')) expect(await ticketRow(app, ticket)).toMatchObject({ resolution: `Won't "do"` });
      }
    }
    expect(seen).toEqual(['resolved', 'resolved', 'in_progress', 'in_progress', 'open', 'open']);
  });

  it('have a body of a Jira webhook that the adapter accepts', () => {
    const [body = ''] = blocks('native');
    const { update, kinds } = new ReportReader(new AdapterRegistry([new JiraAdapter()])).read(JSON.parse(body), {
      ...{ headers: {}, bytes: Buffer.from(body) },
    });
    expect([kinds, update]).toEqual([
      ['jira'],
      expect.objectContaining({
        ...{ externalTicketId: 'SEC-17', status: 'resolved', resolution: 'Fertig', updatedBy: 'Ada Lovelace' },
        occurredAt: new Date('2026-11-20T13:00:00Z'),
      }),
    ]);
  });

  describe('have a business rule of ServiceNow', () => {
    const INCIDENT = {
      ...{ number: 'SEC-17', state: '6', close_code: 'Solved ${x}', close_notes: null, sys_updated_by: 'ada.lovelace' },
      ...{ sys_mod_count: '4', sys_updated_on: '2026-11-20 11:00:00' },
    };

    /** Runs the business rule for an incident. Returns the request that it sends, if any. */
    function run(incident: Record<string, string | null>): { endpoint: string; body: string } | undefined {
      const sent: { endpoint: string; body: string }[] = [];
      const request: Record<string, string> = {};
      class RESTMessageV2 {
        setEndpoint(endpoint: string): void {
          request['endpoint'] = endpoint;
        }
        setHttpMethod(method: string): void {
          request['method'] = method;
        }
        setRequestHeader(name: string, value: string): void {
          request[name.toLowerCase()] = value;
        }
        setRequestBody(body: string): void {
          request['body'] = body;
        }
        executeAsync(): void {
          expect([request['method'], request['content-type']]).toEqual(['POST', 'application/json']);
          sent.push({ endpoint: request['endpoint'] ?? '', body: request['body'] ?? '' });
        }
      }
      const current = {
        getValue: (name: string): string | null => {
          if (!(name in incident)) throw new Error(`no field ${name}`);
          return incident[name] ?? null;
        },
        getUniqueValue: () => '9d385017c611228701d22104cc95c371',
      };
      const [rule = ''] = blocks('rule');
      runInContext(rule, createContext({ current, previous: current, sn_ws: { RESTMessageV2 } }));
      return sent[0];
    }

    it('that reports each state, asynchronously and once', async () => {
      const statuses = ['1', '2', '3', '6', '7', '8', '99'].map(state => {
        const made = run({ ...INCIDENT, state });
        return made && (JSON.parse(made.body) as { status: string }).status;
      });
      expect(statuses).toEqual(['open', 'in_progress', 'in_progress', 'resolved', 'closed', 'closed', undefined]);
      const { endpoint, body } = run(INCIDENT) ?? { endpoint: '', body: '' };
      expect(endpoint).toMatch(/^https:\/\/[^/]+\/v1\/integrations\/itsm\/webhook\/YOUR_ORG_ID$/);
      for (const _ of [1, 2]) expect((await report(body)).body.status).toBe('resolved');
      expect(await ticketRow(app, ticket)).toMatchObject({
        ...{ status: 'resolved', resolution: 'Solved $ {x}', notes: null, updated_by: 'ada.lovelace' },
      });
    });
  });
});
