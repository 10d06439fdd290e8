import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FoundAnomaly } from '#anomalies';
import { OrgDatabase } from '#database';
import { AnomalyLedger } from '../../../libs/anomalies/record/anomaly-ledger.js';
import { makeAuthority, trustInThisProcess, type Authority } from '../../support/certificates.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import { auditOf } from '../../support/itsm/ledger.js';
import { startInstance, type Instance } from '../../emulators/servicenow/instance.js';
import { putAnomaly } from '../../support/put-anomaly.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED, until } from '../../support/webhooks.js';
import { stageOn } from '../incidents.support.js';
import { connect } from './tickets.support.js';

const ACCOUNT = { username: 'svc-governance', password: 'a password of this test' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let authority: Authority;
let app: TestApp;
let servicenow: Instance;
let jira: Site;
let distrust: () => void;

beforeAll(async () => {
  authority = await makeAuthority();
  distrust = trustInThisProcess(authority.caPem);
  [servicenow, jira, app] = await Promise.all([
    startInstance({ authority, account: ACCOUNT }),
    startSite({ authority }),
    startTestApp(LOOPBACK_ALLOWED),
  ]);
});

afterAll(async () => {
  await app?.close();
  await servicenow?.close();
  await jira?.close();
  distrust?.();
});

/** A connector to ServiceNow. */
const desk = (call: Call, fields: object = {}): Promise<Answer['body']> =>
  connect(call, {
    ...{ kind: 'servicenow', name: 'Desk', settings: { instance_url: servicenow.origin }, secrets: ACCOUNT },
    ...fields,
  });

/** A connector to Jira. */
const board = (call: Call, fields: object = {}): Promise<Answer['body']> =>
  connect(call, { kind: 'jira', name: 'Board', settings: jira.settings, secrets: jira.account, ...fields });

async function person(call: Call, department: string): Promise<string> {
  const { body } = await call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Bob', department });
  return body.id;
}

/**
 * The kinds of connectors with automatic tickets. Tickets are stored in the same transaction as their incident, so
 * there is no need to wait for them.
 */
async function orderedBy(call: Call, incidentId: string): Promise<string[]> {
  const { body } = await call('GET', `/v1/itsm/tickets?incident_id=${incidentId}`);
  return body.items.map(({ kind }: { kind: string }) => kind).toSorted();
}

/** The result of the dry run, by connector name. */
async function routesOf(call: Call, body: object): Promise<Record<string, unknown[]>> {
  const { status, body: answer, text } = await call('POST', '/v1/itsm/route', body);
  expect({ status, text }).toMatchObject({ status: 200 });
  const items = answer.connectors as { name: string; opens_ticket: boolean; reasons: { code: string }[] }[];
  return Object.fromEntries(
    items.map(({ name, opens_ticket, reasons }) => [name, [opens_ticket, ...reasons.map(({ code }) => code)]]),
  );
}

describe('connectors with routing', () => {
  it('create tickets only for the incidents that each of them selects', async () => {
    const { call, policyId, violate, incidents } = await stageOn(app);
    await desk(call, { routing: { min_severity: 'high' } });
    await board(call, { routing: { policies: [policyId.toUpperCase()], departments: ['Sales', 'Legal'] } });
    const engineer = await person(call, 'Engineering');
    const asked = [
      { severity: 'low', model: 'routed-1', by: ['jira'] },
      { severity: 'high', model: 'routed-2', by: ['jira', 'servicenow'] },
      { severity: 'critical', model: 'routed-3', user_id: engineer, by: ['servicenow'] },
      { severity: 'medium', model: 'routed-4', user_id: engineer, by: [] },
    ];
    for (const { severity, by, ...request } of asked) {
      await call('PUT', `/v1/policies/${policyId}`, { severity });
      const expected = { severity, policy_id: policyId, department: request.user_id ? 'Engineering' : 'Sales' };
      await violate(undefined, request);
      const incident = (await incidents()).find(({ model }) => model === request.model);
      expect({ model: request.model, by: await orderedBy(call, incident.id) }).toEqual({ model: request.model, by });
      const routes = await routesOf(call, { incident_id: incident.id });
      expect({ Board: by.includes('jira'), Desk: by.includes('servicenow') }).toEqual({
        ...{ Board: routes['Board']?.[0], Desk: routes['Desk']?.[0] },
      });
      expect(await routesOf(call, expected)).toEqual(routes);
    }
    await until(async () => (await call('GET', '/v1/itsm/tickets?sync_state=created')).body.items.length === 4, 30_000);
    const sent = (bodies: readonly { json: unknown }[]): string[] =>
      bodies.flatMap(({ json }) => /routed-\d/.exec(JSON.stringify(json))?.[0] ?? []).toSorted();
    expect(sent(servicenow.received.filter(({ method }) => method === 'POST'))).toEqual(['routed-2', 'routed-3']);
    expect(sent(jira.requestsOf('create'))).toEqual(['routed-1', 'routed-2']);
  });

  it('create tickets for anomalies by the department in the directory, and none if they list policies', async () => {
    const { call, orgId, policyId, userId, incidents } = await stageOn(app);
    await desk(call, { active: true, routing: { departments: ['Sales'] } });
    await board(call, { routing: { policies: [policyId] } });
    const engineer = await person(call, 'Engineering');
    for (const id of [userId, engineer]) await putAnomaly(app, orgId, id);
    const found = await incidents();
    const of = (id: string): string => found.find(({ user_id }) => user_id === id).id;
    expect(await orderedBy(call, of(userId))).toEqual(['servicenow']);
    expect(await orderedBy(call, of(engineer))).toEqual([]);
    expect(await routesOf(call, { incident_id: of(userId) })).toEqual({
      Board: [false, 'policy_not_listed'],
      Desk: [true, 'matches'],
    });
    expect(await routesOf(call, { incident_id: of(engineer) })).toMatchObject({
      Desk: [false, 'department_not_listed'],
    });
  });

  it('use the highest severity of the violations that open an incident together', async () => {
    const { call, orgId, userId, incidents } = await stageOn(app);
    await desk(call, { routing: { min_severity: 'high' } });
    const at = app.clock.now();
    const found = (metric: FoundAnomaly['metric'], severity: FoundAnomaly['severity']): FoundAnomaly => ({
      ...{ kind: 'usage_spike', severity, userId, model: null, metric, rule: 'total', observed: 400 },
      ...{ expectedLow: 0, expectedHigh: 60, historyDays: 28, strength: 2, series: [] },
      ...{ windowStart: at, windowEnd: new Date(at.getTime() + 86_400_000) },
    });
    const both = [found('requests', 'low'), found('tokens', 'high')];
    await app.app
      .get(OrgDatabase)
      .transaction(orgId, em => app.app.get(AnomalyLedger, { strict: false }).raise(em, orgId, both, 2));
    const [incident, ...others] = await incidents();
    expect([incident.severity, others]).toEqual(['high', []]);
    expect(await orderedBy(call, incident.id)).toEqual(['servicenow']);
  });

  it('create a ticket for any incident when a person requests it', async () => {
    const { call, violate, incidents } = await stageOn(app);
    await desk(call, { routing: { min_severity: 'critical', policies: [UNKNOWN], departments: ['Nobody'] } });
    await violate();
    const [incident] = await incidents();
    expect(await orderedBy(call, incident.id)).toEqual([]);
    const opened = await call('POST', `/v1/incidents/${incident.id}/tickets`);
    expect({ status: opened.status, body: opened.body }).toMatchObject({ status: 201, body: { origin: 'manual' } });
  });
});

describe('the routing of a connector', () => {
  it('is shown, replaced as a whole, removed by an empty one, and audited', async () => {
    const { call } = await app.addOrganization();
    const routing = { min_severity: 'high', departments: ['Sales'] };
    const { id, routing: made } = await desk(call, { routing });
    expect(made).toEqual(routing);
    const path = `/v1/itsm/connectors/${id}`;
    expect((await call('PATCH', path, { name: 'Renamed' })).body.routing).toEqual(routing);
    const policies = [UNKNOWN];
    expect((await call('PATCH', path, { routing: { policies } })).body.routing).toEqual({ policies });
    const removed = await call('PATCH', path, { routing: {} });
    expect([removed.status, removed.body.routing]).toEqual([200, {}]);
    expect((await call('GET', path)).body.routing).toEqual({});
    expect((await auditOf(app, id)).slice(2)).toMatchObject([
      { before: { routing }, after: { routing: { policies } } },
      { before: { routing: { policies } }, after: { routing: {} } },
    ]);
  });

  it.each<[string, unknown, { field: string; message: string }]>([
    ['a value that is not an object', 'all', { field: 'routing', message: 'must be an object' }],
    ['an unknown field', { users: [] }, { field: 'routing.users', message: 'is not a field of this request' }],
    [
      'an unknown severity',
      { min_severity: 'urgent' },
      { field: 'routing.min_severity', message: 'must be one of: critical, high, medium, low' },
    ],
    ['a policy without a list', { policies: UNKNOWN }, { field: 'routing.policies', message: 'must be a list' }],
    [
      'a policy by its name instead of its id',
      { policies: ['X'] },
      { field: 'routing.policies', message: 'each entry must be a UUID' },
    ],
    [
      'an empty list',
      { policies: [] },
      { field: 'routing.policies', message: 'must have at least one entry; leave the field out for no condition' },
    ],
    [
      'too many departments',
      { departments: Array.from({ length: 101 }, (_, at) => `D${at}`) },
      { field: 'routing.departments', message: 'must have at most 100 entries' },
    ],
    ...[[' '], [7], ['\0'], ['x'.repeat(256)]].map(
      (departments): [string, unknown, { field: string; message: string }] => [
        `the departments ${JSON.stringify(departments).slice(0, 20)}`,
        { departments },
        { field: 'routing.departments', message: 'each entry must be a text of 1 to 255 characters' },
      ],
    ),
  ])('is refused with %s', async (_what, routing, fault) => {
    const { call } = await app.addOrganization();
    const { id } = await desk(call);
    const fields = {
      kind: 'servicenow',
      name: 'Other',
      settings: { instance_url: servicenow.origin },
      secrets: ACCOUNT,
    };
    for (const answer of [
      await call('POST', '/v1/itsm/connectors', { ...fields, routing }),
      await call('PATCH', `/v1/itsm/connectors/${id}`, { routing }),
    ]) {
      expect([answer.status, answer.body.details]).toEqual([400, [fault]]);
    }
  });
});

describe('the dry run', () => {
  it('says for every connector whether it would create a ticket, and why', async () => {
    const { call, policyId } = await stageOn(app);
    const severe = await desk(call, { name: 'A', routing: { min_severity: 'critical' } });
    await desk(call, { name: 'B', routing: { policies: [UNKNOWN], departments: ['Legal'] } });
    await desk(call, { name: 'C', active: false });
    const { id: failing } = await desk(call, { name: 'D' });
    await app.database.asOwner(
      `update governance.itsm_connectors set problem_code = 'auth', problem_since = now(), problem_until = now()
       where id = $1`,
      [failing],
    );
    await desk(call, { name: 'E', routing: { policies: [policyId], departments: ['Sales'] } });
    const asked = { severity: 'high', department: 'Sales', policy_id: policyId };
    expect(await routesOf(call, asked)).toEqual({
      A: [false, 'below_min_severity'],
      B: [false, 'policy_not_listed', 'department_not_listed'],
      C: [false, 'inactive'],
      D: [true, 'matches', 'paused'],
      E: [true, 'matches'],
    });
    const { body } = await call('POST', '/v1/itsm/route', asked);
    expect(body.connectors[0]).toEqual({
      ...{ connector_id: severe.id, name: 'A', kind: 'servicenow', opens_ticket: false },
      reasons: [{ code: 'below_min_severity', message: 'The connector opens tickets from severity critical on.' }],
    });
    expect((await call('GET', '/v1/itsm/tickets')).body.items).toEqual([]);
  });

  it('answers with no connectors if there are none', async () => {
    const { call } = await app.addOrganization();
    expect((await call('POST', '/v1/itsm/route', { severity: 'low' })).body).toEqual({ connectors: [] });
  });

  it.each<[string, object, object[]]>([
    ['nothing', {}, [{ field: 'severity', message: 'is required, unless you give incident_id alone' }]],
    [
      'a missing severity',
      { department: 'Sales' },
      [{ field: 'severity', message: expect.stringContaining('is required') }],
    ],
    [
      'an incident and a description of one',
      { incident_id: UNKNOWN, severity: 'low', policy_id: UNKNOWN },
      ['severity', 'policy_id'].map(field => ({ field, message: 'must be left out with incident_id' })),
    ],
    ['an unknown severity', { severity: 'bad' }, [{ field: 'severity', message: expect.stringContaining('critical') }]],
    [
      'an unknown field',
      { severity: 'low', user: 'x' },
      [{ field: 'user', message: 'is not a field of this request' }],
    ],
    ['an invalid incident id', { incident_id: '7' }, [{ field: 'incident_id', message: 'must be a UUID' }]],
  ])('is refused with %s', async (_what, body, details) => {
    const answer = await app.call('POST', '/v1/itsm/route', body);
    expect([answer.status, answer.body.details]).toEqual([400, details]);
  });

  it('does not find an incident of another organization', async () => {
    const theirs = await stageOn(app);
    await theirs.violate();
    const [incident] = await theirs.incidents();
    const { call } = await app.addOrganization();
    for (const incident_id of [incident.id, UNKNOWN]) {
      const answer = await call('POST', '/v1/itsm/route', { incident_id });
      expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
    }
    expect(await routesOf(theirs.call, { incident_id: incident.id })).toEqual({});
  });
});
