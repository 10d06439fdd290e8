import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScriptedAdapter } from '../../support/itsm/scripted-adapter.js';
import type { Answer, TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { stageOn } from '../incidents.support.js';
import { connect, deskStage, finish, makeDue, startDesk } from './tickets.support.js';

const PASSWORD = 'correct horse battery';

/** Whether a ticket waits for a later attempt, and not only for a worker. */
const isWaiting = ({ next_attempt_at: next }: Answer['body']): boolean =>
  next !== null && Date.parse(next) > Date.now() + 500;

let app: TestApp & { desk: ScriptedAdapter };

beforeAll(async () => {
  app = await startDesk();
});

// Waiting tasks of an earlier test must not call the platform of this test.
beforeEach(async () => {
  await app.database.asOwner(`delete from governance.tasks where queue = 'itsm'`);
  app.desk.reset();
});

afterAll(() => app?.close());

describe('a violation', () => {
  it('spec 6.5: a violation opens a ticket by each active connector, with title, labels and the whole payload', async () => {
    const stage = await deskStage(app);
    await connect(stage.call);
    await connect(stage.call, { active: false });
    const decision = await stage.violate();
    const tickets = await stage.settled('created', 2);
    const [incident] = await stage.incidents();
    expect(tickets[0]).toEqual({
      id: expect.any(String),
      org_id: stage.orgId,
      incident_id: incident.id,
      connector_id: expect.any(String),
      kind: 'scripted',
      origin: 'automatic',
      title: `[Service] policy_violation: Blocked: openai/gpt-4o for ${incident.user_email} (policy “Large models”)`,
      severity: 'high',
      external_ticket_id: expect.stringMatching(/^TKT-/),
      url: expect.stringMatching(/^https:/),
      status: 'open',
      sync_state: 'created',
      attempts: 1,
      next_attempt_at: null,
      follows: null,
      ...{ change_kind: null, change_result: null, change_error: null, change_at: null, next_change_at: null },
      degraded: [],
      ...{ error_code: null, error: null, error_fields: null, resolution: null, notes: null, updated_by: null },
      status_changed_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(tickets).toHaveLength(2);
    const body: Answer['body'] = app.desk.tickets[0]?.body;
    expect(body).toMatchObject({ labels: ['service', 'ai-policy', 'high'], severity: 'high' });
    const [text, payload] = body.description.split('\n\n');
    expect(text).toContain(
      `${incident.user_email}) asked for openai/gpt-4o. The policy “Large models” blocked the request.`,
    );
    expect(JSON.parse(payload)).toEqual({
      alert_id: incident.id,
      severity: 'high',
      ...{ user_id: stage.userId, policy_id: stage.policyId, provider: 'openai', model: 'gpt-4o' },
      details: expect.objectContaining({ decision_id: decision.id, policy_name: 'Large models' }),
    });
  });

  it('that repeats creates no second ticket', async () => {
    const stage = await deskStage(app);
    await Promise.all(Array.from({ length: 12 }, () => stage.violate()));
    await stage.settled('created');
    await stage.violate();
    expect(await stage.incidents()).toMatchObject([{ occurrences: 13 }]);
    expect(await stage.tickets()).toHaveLength(1);
    expect(app.desk.creates).toBe(1);
  });

  it('creates no ticket if no connector is active', async () => {
    const stage = await stageOn(app);
    await connect(stage.call, { active: false });
    await stage.violate();
    expect((await stage.call('GET', '/v1/itsm/tickets')).body.items).toEqual([]);
  });

  it('shows its ticket in the timeline of its incident', async () => {
    const stage = await deskStage(app);
    await stage.violate();
    const [ticket] = await stage.settled('created');
    await stage.violate();
    const { body } = await stage.call('GET', `/v1/incidents/${ticket.incident_id}`);
    const occurrences = body.timeline.filter(({ kind }: { kind: string }) => kind === 'occurrence');
    const { id, connector_id, kind, sync_state, external_ticket_id, url, status } = ticket;
    expect(occurrences.map(({ data }: { data: object }) => data)).toMatchObject([
      { tickets: [] },
      { tickets: [{ id, connector_id, kind, sync_state, external_ticket_id, url, status }] },
    ]);
  });
});

describe('a ticket that the platform does not create', () => {
  it('is tried again after the time that the platform names, and delays others meanwhile', async () => {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'retryable', message: 'Too many requests.', retryAfterMs: 600_000 });
    await stage.violate();
    const waiting = await until(async () => (await stage.tickets()).find(({ attempts }) => attempts === 1));
    expect(waiting).toMatchObject({ sync_state: 'pending', error_code: 'unreachable', error: 'Too many requests.' });
    const inMs = Date.parse(waiting.next_attempt_at) - Date.now();
    expect(inMs).toBeGreaterThan(500_000);
    expect(inMs).toBeLessThan(610_000);
    app.clock.advance(1);
    await stage.violate(undefined, { model: 'o1' });
    await until(async () => (await stage.tickets()).filter(isWaiting).length === 2);
    expect(app.desk.creates).toBe(1);
    app.desk.script = () => undefined;
    app.clock.advance(600_001);
    await makeDue(app, stage.orgId);
    expect(await stage.settled('created', 2)).toMatchObject([
      { error: null, attempts: 1 },
      { error: null, attempts: 2 },
    ]);
  });

  it("is rejected with the platform's errors by field, and tried again only when a person asks", async () => {
    const stage = await deskStage(app);
    const fields = { customfield_1: 'is required' };
    app.desk.script = () => ({ kind: 'rejected', code: 'field', message: `No ${PASSWORD}.`, fields });
    await stage.violate();
    const [ticket] = await stage.settled('rejected');
    expect(ticket).toMatchObject({
      ...{ error_code: 'field', error: 'No [hidden].', error_fields: fields, attempts: 1 },
      ...{ next_attempt_at: null, external_ticket_id: null, status: null },
    });
    app.desk.script = () => undefined;
    const again = await stage.call('POST', `/v1/itsm/tickets/${ticket.id}/retry`);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ sync_state: 'pending' });
    await stage.settled('created');
    // The retry searched first, because the platform might have created the ticket. Another retry is refused, because
    // the ticket now exists.
    expect(app.desk.searches).toEqual([ticket.id]);
    expect((await stage.call('POST', `/v1/itsm/tickets/${ticket.id}/retry`)).status).toBe(409);
    expect((await stage.call('GET', `/v1/itsm/connectors/${stage.connector.id}`)).body.problem).toBeNull();
  });

  it('is given up after a day without an answer', async () => {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'retryable', message: 'Nobody is there.' });
    await stage.violate();
    await until(async () => (await stage.tickets()).find(({ attempts }) => attempts === 1));
    app.clock.advance(24 * 3_600_000);
    await makeDue(app, stage.orgId);
    expect(await stage.settled('rejected')).toMatchObject([{ error_code: 'unreachable', error: 'Nobody is there.' }]);
    app.clock.advance(-24 * 3_600_000);
  });
});

describe('a ticket whose create has an unknown outcome', () => {
  it('is searched for and found', async () => {
    const stage = await deskStage(app);
    app.desk.script = ({ settings }, key, desk) => {
      desk.put(settings, key);
      return { kind: 'uncertain', message: 'The answer was cut.' };
    };
    await stage.violate();
    const [ticket] = await stage.settled('uncertain');
    expect(ticket).toMatchObject({ error: 'The answer was cut.', next_attempt_at: expect.any(String) });
    await makeDue(app, stage.orgId);
    expect(await stage.settled('created')).toMatchObject([{ external_ticket_id: 'TKT-1', attempts: 1, error: null }]);
    expect([app.desk.creates, app.desk.searches]).toEqual([1, [ticket.id]]);
  });

  it('is created again if a platform with complete searches does not find it', async () => {
    const stage = await deskStage(app);
    let searchesBefore = 0;
    app.desk.script = (_, __, { creates, searches }) => {
      searchesBefore = searches.length;
      return creates === 1 ? { kind: 'uncertain', message: 'Late.' } : undefined;
    };
    await stage.violate();
    await stage.settled('uncertain');
    await finish(app, stage.orgId);
    expect(await stage.tickets('&sync_state=created')).toMatchObject([{ attempts: 2 }]);
    expect([app.desk.creates, searchesBefore, app.desk.tickets.length]).toEqual([2, 3, 1]);
  });

  it("is searched for three times if the platform's index is late", async () => {
    const stage = await deskStage(app);
    app.desk.sight = 'eventual';
    app.desk.search = () => (app.desk.searches.length < 3 ? [] : undefined);
    app.desk.script = ({ settings }, key, desk) => {
      desk.put(settings, key);
      throw new Error('no idea');
    };
    await stage.violate();
    await stage.settled('uncertain');
    for (const [searches, waitMs] of [
      [1, 15_000],
      [2, 30_000],
    ] as const) {
      await makeDue(app, stage.orgId);
      await until(async () => app.desk.searches.length === searches);
      const next = await until(async () => (await stage.tickets())[0].next_attempt_at ?? undefined);
      expect(Math.abs(Date.parse(next) - Date.now() - waitMs)).toBeLessThan(5_000);
    }
    await makeDue(app, stage.orgId);
    await stage.settled('created');
    expect([app.desk.creates, app.desk.searches.length]).toEqual([1, 3]);
  });

  it('waits for a person if the platform cannot be searched', async () => {
    const stage = await deskStage(app);
    app.desk.sight = 'none';
    app.desk.script = (_, __, { creates }) => (creates === 1 ? { kind: 'uncertain', message: 'Late.' } : undefined);
    await stage.violate();
    const [ticket] = await stage.settled('uncertain');
    expect(ticket).toMatchObject({ error: 'Late.', next_attempt_at: null });
    expect((await stage.call('POST', `/v1/itsm/tickets/${ticket.id}/retry`)).status).toBe(202);
    await stage.settled('created');
    expect([app.desk.creates, app.desk.searches]).toEqual([2, []]);
  });

  it('is also a ticket whose key cannot be stored', async () => {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'created', ref: { externalTicketId: '' } });
    await stage.violate();
    expect(await stage.settled('uncertain')).toMatchObject([{ external_ticket_id: null }]);
  });
});

describe('a platform that refuses', () => {
  const problemOf = async ({ call, connector }: Awaited<ReturnType<typeof deskStage>>) =>
    (await call('GET', `/v1/itsm/connectors/${connector.id}`)).body.problem;

  async function refusing(count: number) {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'rejected', code: 'auth', message: `Wrong ${PASSWORD}.` });
    await stage.violate();
    await stage.settled('rejected');
    await Promise.all(Array.from({ length: count }, (_, at) => stage.violate(undefined, { model: `m-${at}` })));
    await until(async () => (await stage.tickets()).filter(isWaiting).length === count);
    return stage;
  }

  it('does not get a request for each ticket, and the operator sees one problem', async () => {
    const stage = await refusing(40);
    expect(app.desk.creates).toBe(1);
    expect(await problemOf(stage)).toEqual({
      code: 'auth',
      message: 'Wrong [hidden].',
      since: app.clock.now().toISOString(),
    });
    expect(await stage.tickets('&sync_state=pending')).toHaveLength(40);
  });

  it('gets only a few of many concurrent requests', async () => {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'rejected', code: 'config', message: 'There is no project X.' });
    await Promise.all(Array.from({ length: 60 }, (_, at) => stage.violate(undefined, { model: `m-${at}` })));
    await until(async () => {
      const all = await stage.tickets();
      return all.every(ticket => ticket.sync_state === 'rejected' || isWaiting(ticket));
    });
    expect(app.desk.creates).toBeLessThanOrEqual(16);
  });

  it('gets one of all waiting tickets after five minutes', async () => {
    const stage = await refusing(20);
    for (const round of [1, 2]) {
      app.clock.advance(300_001);
      await makeDue(app, stage.orgId);
      await until(async () => app.desk.creates === 1 + round);
      await stage.settled('rejected', 1 + round);
      await until(async () =>
        (await stage.tickets()).every(ticket => ticket.sync_state === 'rejected' || isWaiting(ticket)),
      );
    }
    expect(app.desk.creates).toBe(3);
    const since = Date.parse((await problemOf(stage)).since);
    expect(app.clock.now().getTime() - since).toBe(600_002);
    app.desk.script = () => undefined;
    app.clock.advance(300_001);
    await until(async () => {
      await makeDue(app, stage.orgId);
      return (await stage.tickets('&sync_state=created')).length === 18;
    });
    expect(await problemOf(stage)).toBeNull();
  });

  it('gets waiting and refused tickets at once when the connector is changed', async () => {
    const stage = await refusing(5);
    app.desk.script = ({ secrets }) =>
      secrets.password === 'mended' ? undefined : { kind: 'rejected', code: 'auth', message: 'Wrong.' };
    const path = `/v1/itsm/connectors/${stage.connector.id}`;
    expect((await stage.call('PATCH', path, { secrets: { password: 'mended' } })).body.problem).toBeNull();
    await stage.settled('created', 6);
    expect(app.desk.creates).toBe(7);
  });

  it('gets waiting and refused tickets at once after a successful connector test', async () => {
    const stage = await refusing(5);
    app.desk.script = () => undefined;
    expect((await stage.call('POST', `/v1/itsm/connectors/${stage.connector.id}/test`)).body.passed).toBe(true);
    // Including the ticket of the connector test.
    await stage.settled('created', 7);
    expect(await problemOf(stage)).toBeNull();
  });
});

describe('a connector with waiting tickets', () => {
  /** An organization whose ticket waits for its next attempt. */
  async function waiting() {
    const stage = await deskStage(app);
    app.desk.script = () => ({ kind: 'retryable', message: 'Nobody is there.' });
    await stage.violate();
    await until(async () => (await stage.tickets()).find(({ attempts }) => attempts === 1));
    app.desk.script = () => undefined;
    return { ...stage, path: `/v1/itsm/connectors/${stage.connector.id}` };
  }

  it('spec 2.10: only an active connector is called', async () => {
    const stage = await waiting();
    await stage.call('PATCH', stage.path, { active: false });
    await makeDue(app, stage.orgId);
    const [held] = await stage.tickets();
    expect(held).toMatchObject({ sync_state: 'pending', next_attempt_at: null });
    await new Promise(done => setTimeout(done, 300));
    expect(app.desk.creates).toBe(1);
    await stage.call('PATCH', stage.path, { active: true });
    await stage.settled('created');
  });

  it('sends them with its current settings', async () => {
    const stage = await waiting();
    const settings = { instance_url: 'https://127.0.0.1:10', project: 'NEW' };
    await stage.call('PATCH', stage.path, { settings, secrets: { user: 'u', password: 'p' } });
    await makeDue(app, stage.orgId);
    await stage.settled('created');
    expect(app.desk.tickets).toMatchObject([{ settings }]);
  });

  it('sends its secrets only to the address for which they were entered', async () => {
    const stage = await waiting();
    await app.database.asOwner(
      `update governance.itsm_connectors set settings = '{"instance_url": "https://127.0.0.3:9"}' where org_id = $1`,
      [stage.orgId],
    );
    await makeDue(app, stage.orgId);
    const error = 'The secrets of the connector cannot be read; enter them again.';
    expect(await stage.settled('rejected')).toMatchObject([{ error_code: 'config', error }]);
    expect(app.desk.creates).toBe(1);
  });

  it('rejects them when it is deleted, and keeps existing tickets', async () => {
    const stage = await waiting();
    await stage.violate(undefined, { model: 'o1' });
    await stage.settled('created');
    expect((await stage.call('DELETE', stage.path)).status).toBe(204);
    const [ticket] = await stage.settled('rejected');
    expect(ticket).toMatchObject({ error_code: 'connector_removed', next_attempt_at: null });
    expect(await stage.tickets('&sync_state=created')).toHaveLength(1);
    expect((await stage.call('POST', `/v1/itsm/tickets/${ticket.id}/retry`)).status).toBe(409);
  });

  it('rejects the ticket of a violation that committed during its deletion', async () => {
    const stage = await waiting();
    await app.database.asOwner('delete from governance.itsm_connectors where org_id = $1', [stage.orgId]);
    await makeDue(app, stage.orgId);
    expect(await stage.settled('rejected')).toMatchObject([{ error_code: 'connector_removed' }]);
  });
});

describe('a ticket that a person creates', () => {
  /** Creates an incident before the connector exists. */
  async function incidentFirst() {
    const stage = await stageOn(app);
    await stage.violate();
    const [incident] = await stage.incidents();
    return { ...stage, incident, path: `/v1/incidents/${incident.id}/tickets` };
  }

  it('spec 6.5: a ticket is created manually from an incident', async () => {
    const { call, path, incident } = await incidentFirst();
    expect((await call('POST', path)).status).toBe(409);
    const connector = await connect(call);
    const opened = await call('POST', path);
    expect(opened.status).toBe(201);
    expect(opened.body).toMatchObject({ incident_id: incident.id, connector_id: connector.id, origin: 'manual' });
    const second = await call('POST', path, { connector_id: connector.id });
    expect(second.status).toBe(409);
    expect(second.body.message).toContain(opened.body.id);
    await until(async () => app.desk.tickets.length === 1);
    expect((await call('GET', `/v1/itsm/tickets?incident_id=${incident.id}`)).body.items).toHaveLength(1);
    const { timeline } = (await call('GET', `/v1/incidents/${incident.id}`)).body;
    expect(timeline.at(-1).data.tickets ?? timeline[0].data.tickets).toMatchObject([{ id: opened.body.id }]);
    const audit = (await call('GET', '/v1/audit-log')).body.items;
    expect(audit).toContainEqual(expect.objectContaining({ action: 'ticket.requested', resource_id: opened.body.id }));
  });

  it('is created twice by two concurrent requests', async () => {
    const { call, path } = await incidentFirst();
    await connect(call);
    const answers = await Promise.all([call('POST', path), call('POST', path), call('POST', path)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    await until(async () => app.desk.creates === 1);
  });

  it('can be previewed without creating anything', async () => {
    const { call, path, incident } = await incidentFirst();
    const connector = await connect(call);
    const { status, body } = await call('POST', path, { connector_id: connector.id, preview: true });
    expect(status).toBe(200);
    expect(body).toEqual({
      title: expect.stringContaining('[Service] policy_violation: Blocked: openai/gpt-4o for'),
      description: expect.stringContaining(incident.id),
      labels: ['service', 'ai-policy', 'high'],
      body: expect.objectContaining({ severity: 'high' }),
    });
    expect((await call('GET', '/v1/itsm/tickets')).body.items).toEqual([]);
    expect(app.desk.creates).toBe(0);
  });

  it('shows an incident in a preview only to callers who may read incidents', async () => {
    const { call, path } = await incidentFirst();
    const connector = await connect(call);
    const narrowed = async (scopes: string[]) => {
      const { body } = await call('POST', '/v1/tokens', { name: 'desk', role: 'admin', scopes });
      return app.as(body.token)('POST', path, { connector_id: connector.id, preview: true });
    };
    const { status, body, text } = await narrowed(['itsm:write', 'itsm:read']);
    expect([status, body.message]).toEqual([
      403,
      'A preview includes data of the incident, so it also needs the scope incidents:read.',
    ]);
    expect(text).not.toContain('Large models');
    expect((await narrowed(['itsm:write', 'incidents:read'])).status).toBe(200);
  });

  it('needs the connector if there are several', async () => {
    const { call, path } = await incidentFirst();
    await connect(call, { name: 'One' });
    const off = await connect(call, { name: 'Off', active: false });
    await connect(call, { name: 'Two' });
    const refused = await call('POST', path, {});
    expect(refused.status).toBe(400);
    expect(refused.body.details).toEqual([{ field: 'connector_id', message: expect.stringContaining('One, Two') }]);
    expect((await call('POST', path, { connector_id: off.id })).status).toBe(409);
    const unknown = await call('POST', path, { connector_id: '00000000-0000-7000-8000-000000000000' });
    expect(unknown.body.details).toEqual([
      { field: 'connector_id', message: 'is not a connector of your organization' },
    ]);
    const other = await app.addOrganization();
    expect((await other.call('POST', path)).status).toBe(404);
  });
});

describe('the list of tickets', () => {
  it('is filtered by status, state, connector, incident and kind', async () => {
    const stage = await deskStage(app);
    const other = await connect(stage.call);
    app.desk.script = (_, __, { creates }) =>
      creates === 1 ? { kind: 'rejected', code: 'field', message: 'No.' } : undefined;
    await stage.violate();
    await stage.settled('created');
    await stage.settled('rejected');
    const all = await stage.tickets();
    const one = all.find(({ connector_id: id }) => id === other.id);
    const created = all.filter(({ sync_state: state }) => state === 'created');
    expect(await stage.tickets(`&connector_id=${other.id}`)).toEqual([one]);
    expect(await stage.tickets('&status=open')).toEqual(created);
    expect(await stage.tickets('&status=closed')).toEqual([]);
    expect(await stage.tickets('&kind=scripted')).toEqual(all);
    expect(await stage.tickets('&kind=jira')).toEqual([]);
    expect(await stage.tickets(`&incident_id=${one.incident_id}`)).toEqual(all);
    expect((await stage.call('GET', '/v1/itsm/tickets?status=lost')).status).toBe(400);
    const outsider = await app.addOrganization();
    expect((await outsider.call('GET', `/v1/itsm/tickets/${one.id}`)).status).toBe(404);
    expect((await outsider.call('POST', `/v1/itsm/tickets/${one.id}/retry`)).status).toBe(404);
    expect((await stage.call('GET', `/v1/itsm/tickets/${one.id}`)).body).toEqual(one);
  });
});
