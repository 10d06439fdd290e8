import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { OrgDatabase } from '#database';
import { IncidentRecorder, type Occurrence } from '#incidents';
import { createToken } from '../support/seed.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED, registerWebhook, until } from '../support/webhooks.js';
import { eventsOf, stageOn } from './incidents.support.js';

const MINUTE_MS = 60_000;
const NOBODY = '00000000-0000-7000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp(LOOPBACK_ALLOWED);
});

afterAll(() => app?.close());

/** An organization with one open incident. */
async function withIncident() {
  const stage = await stageOn(app);
  const decision = await stage.violate();
  const [incident] = await stage.incidents();
  app.clock.advance(1);
  const path = `/v1/incidents/${incident.id}`;
  return { ...stage, decision, incident, path, patch: (body: object) => stage.call('PATCH', path, body) };
}

describe('a violation', () => {
  it('opens an incident with the user, the request and the policy', async () => {
    const { incident, decision, orgId, policyId, userId } = await withIncident();
    const now = decision.evaluated_at;
    expect(incident).toEqual({
      id: expect.any(String),
      org_id: orgId,
      type: 'policy_violation',
      severity: 'high',
      status: 'open',
      user_id: userId,
      user_email: expect.stringMatching(/@example\.com$/),
      policy_id: policyId,
      provider: 'openai',
      model: 'gpt-4o',
      details: expect.objectContaining({ policy_name: 'Large models', action: 'block', department: 'Sales' }),
      occurrences: 1,
      first_seen_at: now,
      last_seen_at: now,
      acknowledged_at: null,
      acknowledged_by: null,
      resolved_at: null,
      resolved_by: null,
      resolution: null,
      follows: null,
      change_version: expect.any(Number),
    });
  });

  it('and its repetitions emit events with the id of their incident as alert_id', async () => {
    const { violate, incident, orgId } = await withIncident();
    await violate();
    await violate();
    const events = await eventsOf(app, orgId);
    expect(events.map(({ data }) => data.alert_id)).toEqual([incident.id, incident.id, incident.id]);
    expect(new Set(events.map(({ data }) => data.details.decision_id)).size).toBe(3);
  });

  it('is counted only in the incident of the same policy, user and model', async () => {
    const { violate, incidents, call, orgId } = await withIncident();
    await violate();
    await violate(undefined, { model: 'o1' });
    await violate(undefined, { provider: 'azure' });
    const other = await call('POST', '/v1/users', { email: `${orgId}@example.com`, name: 'Bob' });
    await violate(undefined, { user_id: other.body.id });
    await call('POST', '/v1/policies', { name: 'Also', action: 'alert' });
    await violate();
    const found = (await incidents()).map(({ model, details, user_id, occurrences }) =>
      [user_id === other.body.id ? 'bob' : 'ada', model, details.policy_name, occurrences].join(' '),
    );
    expect(found.sort()).toEqual([
      'ada gpt-4o Also 1',
      'ada gpt-4o Large models 4',
      'ada o1 Large models 1',
      'bob gpt-4o Large models 1',
    ]);
  });

  it('of an unknown person is counted by the address, ignoring case', async () => {
    const open = await startTestApp({
      testDatabase: app.database,
      orgId: app.orgId,
      time: app.clock,
      decisions: { unknownUser: 'evaluate' },
    });
    try {
      const { violate, incidents } = await stageOn(open);
      for (const user_email of ['Mallory@Example.com', 'mallory@example.com']) {
        await violate(undefined, { user_id: undefined, user_email });
      }
      expect(await incidents()).toMatchObject([{ user_id: 'mallory@example.com', occurrences: 2 }]);
    } finally {
      await open.close();
    }
  });

  it('raises the severity of its incident, and never lowers it', async () => {
    const { violate, incidents, call, policyId } = await stageOn(app, { severity: 'medium' });
    const severities: string[] = [];
    for (const severity of ['medium', 'low', 'critical', 'high']) {
      await call('PUT', `/v1/policies/${policyId}`, { severity });
      await violate();
      severities.push((await incidents())[0].severity);
    }
    expect(severities).toEqual(['medium', 'medium', 'critical', 'critical']);
  });

  it('is counted in an acknowledged incident, which stays acknowledged', async () => {
    const { violate, incidents, patch } = await withIncident();
    await patch({ status: 'acknowledged' });
    await violate();
    expect(await incidents()).toMatchObject([{ status: 'acknowledged', occurrences: 2 }]);
  });

  it('opens another incident if the last one is resolved', async () => {
    const { violate, incidents, incident, patch } = await withIncident();
    await patch({ status: 'resolved' });
    app.clock.advance(1);
    await violate();
    expect(await incidents()).toMatchObject([
      { status: 'open', occurrences: 1, follows: null },
      { id: incident.id, status: 'resolved', occurrences: 1 },
    ]);
  });

  it('is counted once if its request is repeated with the same key', async () => {
    const { violate, incidents } = await stageOn(app);
    const first = await violate(undefined, { idempotency_key: 'k' });
    expect(await violate(undefined, { idempotency_key: 'k' })).toEqual(first);
    expect(await incidents()).toMatchObject([{ occurrences: 1 }]);
  });
});

describe('an incident without violations', () => {
  it('for less than the window continues with the next violation', async () => {
    const { violate, incidents } = await stageOn(app);
    await violate();
    app.clock.advance(60 * MINUTE_MS);
    await violate();
    expect(await incidents()).toMatchObject([{ status: 'open', occurrences: 2 }]);
  });

  it('for longer is resolved by the system, and another one follows it', async () => {
    const { violate, incidents, incident, call, path } = await withIncident();
    app.clock.advance(60 * MINUTE_MS);
    const now = app.clock.now().toISOString();
    await violate();
    await violate();
    const [next, last] = await incidents();
    expect(next).toMatchObject({ status: 'open', occurrences: 2, follows: incident.id, first_seen_at: now });
    expect(last).toMatchObject({
      id: incident.id,
      status: 'resolved',
      occurrences: 1,
      resolved_at: now,
      resolved_by: { kind: 'system', id: 'system', name: 'System' },
      resolution: `Quiet for 60 minutes; followed by ${next.id}.`,
    });
    const [followed] = (await call('GET', `${path}/timeline`)).body.items;
    expect(followed).toMatchObject({ kind: 'followed', data: { to: 'resolved', followed_by: next.id } });
    const { items } = (await call('GET', `/v1/incidents/${next.id}/timeline`)).body;
    expect(items).toContainEqual(expect.objectContaining({ kind: 'opened', data: { follows: incident.id } }));
  });

  it('is resolved by the next occurrence, also if several come at the same time', async () => {
    const { orgId, policyId, userId, incidents } = await withIncident();
    const began = app.clock.now().getTime();
    const times = [90, 70, 80].map(minutes => new Date(began + minutes * MINUTE_MS));
    const occurrences = times.map((at): Occurrence => ({
      type: 'policy_violation',
      severity: 'high',
      userId,
      userEmail: null,
      policyId,
      provider: 'openai',
      model: 'gpt-4o',
      details: {},
      at,
      decisionId: newId(at),
      action: 'block',
      event: () => ({ type: 'ping', data: {} }),
    }));
    await app.app
      .get(OrgDatabase)
      .transaction(orgId, em => app.app.get(IncidentRecorder).raise(em, orgId, occurrences));
    const [next, last] = await incidents();
    const [end, first] = times.map(at => at.toISOString());
    expect(last).toMatchObject({ status: 'resolved', resolved_at: first });
    expect(next).toMatchObject({ occurrences: 3, first_seen_at: first, last_seen_at: end });
  });

  it('has the quiet window of the option', async () => {
    const brief = await startTestApp({
      testDatabase: app.database,
      orgId: app.orgId,
      time: app.clock,
      incidents: { windowMinutes: 5 },
    });
    try {
      const { violate, incidents } = await stageOn(brief);
      await violate();
      app.clock.advance(5 * MINUTE_MS + 1);
      await violate();
      expect(await incidents()).toMatchObject([{ occurrences: 1 }, { status: 'resolved' }]);
    } finally {
      await brief.close();
    }
  });
});

describe('a transition', () => {
  it.each([
    [[], 'acknowledged'],
    [[], 'resolved'],
    [['acknowledged'], 'resolved'],
    [['acknowledged'], 'open'],
    [['acknowledged', 'open'], 'acknowledged'],
  ])('is allowed and recorded after earlier changes %j: to %s', async (before, status) => {
    const { call, patch, path, incident, violate, incidents } = await withIncident();
    for (const earlier of before) expect((await patch({ status: earlier })).status).toBe(200);
    app.clock.advance(1_000);
    const now = app.clock.now().toISOString();
    const from = (await call('GET', path)).body.status;
    const { status: answered, body } = await patch({ status, note: 'Looked at it.' });
    expect({ answered, status: body.status }).toEqual({ answered: 200, status });
    const by = { kind: 'token', id: expect.any(String), name: 'test admin' };
    expect(body).toMatchObject({
      acknowledged_at: status === 'open' ? null : status === 'acknowledged' ? now : body.acknowledged_at,
      acknowledged_by: status === 'acknowledged' ? by : body.acknowledged_by,
      resolved_at: status === 'resolved' ? now : null,
      resolved_by: status === 'resolved' ? by : null,
    });
    const { timeline } = (await call('GET', path)).body;
    const data = { from, to: status, note: 'Looked at it.' };
    expect(timeline[0]).toEqual({ id: expect.any(String), kind: 'status', at: now, actor: by, data });
    const verb = { open: 'reopened', acknowledged: 'acknowledged', resolved: 'resolved' }[status];
    const [entry] = (await call('GET', `/v1/audit-log?resource_id=${incident.id}&limit=1`)).body.items;
    expect(entry).toMatchObject({
      action: `incident.${verb}`,
      before: { status: from },
      after: { status, note: 'Looked at it.' },
    });
    // A later violation does not change the status. If the incident is resolved, the violation opens another one.
    await violate();
    expect(await incidents()).toHaveLength(status === 'resolved' ? 2 : 1);
  });

  it('to resolved stores the resolution', async () => {
    const { patch, call, path } = await withIncident();
    expect((await patch({ status: 'resolved', resolution: 'A test.' })).body.resolution).toBe('A test.');
    const [item] = (await call('GET', path)).body.timeline;
    expect(item.data).toEqual({ from: 'open', to: 'resolved', resolution: 'A test.' });
  });

  it.each([
    [[], 'open'],
    [['acknowledged'], 'acknowledged'],
    [['resolved'], 'open'],
    [['resolved'], 'acknowledged'],
    [['resolved'], 'resolved'],
    [['acknowledged', 'resolved'], 'open'],
  ])('after %p to %s is refused, and nothing is stored', async (before, status) => {
    const { call, patch, path } = await withIncident();
    for (const earlier of before) await patch({ status: earlier });
    const was = (await call('GET', path)).body;
    const answer = await patch({ status, note: 'Lost.' });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringMatching(/already|for good/) },
    });
    expect((await call('GET', path)).body).toEqual(was);
  });

  it.each([
    [{}, 'status'],
    [{ status: 'closed' }, 'status'],
    [{ resolution: 'Done.' }, 'status'],
    [{ status: 'acknowledged', resolution: 'Done.' }, 'resolution'],
    [{ note: '' }, 'note'],
    [{ note: ' ' }, 'note'],
    [{ note: 'x'.repeat(4_001) }, 'note'],
    [{ status: 'resolved', resolution: 'x'.repeat(4_001) }, 'resolution'],
    [{ note: 'fine', severity: 'low' }, 'severity'],
  ])('by %j is refused, with the name %s', async (body, field) => {
    const { patch, call, path } = await withIncident();
    const answer = await patch(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect(answer.body.details).toContainEqual({ field, message: expect.any(String) });
    expect((await call('GET', path)).body).toMatchObject({ status: 'open', timeline: [{}, {}] });
  });

  it('of an unknown incident is not found', async () => {
    const { call } = await withIncident();
    for (const id of [NOBODY, 'none']) {
      for (const [method, path, body] of [
        ['GET', `/v1/incidents/${id}`],
        ['GET', `/v1/incidents/${id}/timeline`],
        ['PATCH', `/v1/incidents/${id}`, { note: 'x' }],
      ] as const) {
        expect(await call(method, path, body)).toMatchObject({ status: 404, body: { error: 'not_found' } });
      }
    }
  });
});

describe('a note', () => {
  it('is in the timeline, also of a resolved incident', async () => {
    const { patch, call, path } = await withIncident();
    await patch({ status: 'resolved' });
    app.clock.advance(1);
    expect(await patch({ note: 'It was the nightly job.' })).toMatchObject({
      status: 200,
      body: { status: 'resolved' },
    });
    const [item] = (await call('GET', path)).body.timeline;
    expect(item).toMatchObject({ kind: 'note', data: { note: 'It was the nightly job.' } });
  });
});

describe('several incidents', () => {
  it('are changed at once, each independently', async () => {
    const { violate, incidents, call } = await stageOn(app);
    for (const model of ['a', 'b', 'c']) await violate(undefined, { model });
    const [first, second, third] = await incidents();
    await call('PATCH', `/v1/incidents/${second.id}`, { status: 'resolved' });
    const ids = [first.id, NOBODY, second.id, third.id, first.id.toUpperCase()];
    app.clock.advance(1);
    const answer = await call('POST', '/v1/incidents/bulk', { ids, status: 'acknowledged', note: 'On it.' });
    expect(answer.status).toBe(200);
    expect(answer.body.results).toMatchObject([
      { id: first.id, outcome: 'changed', message: null, incident: { status: 'acknowledged' } },
      { id: NOBODY, outcome: 'not_found', message: expect.stringContaining(NOBODY), incident: null },
      { id: second.id, outcome: 'conflict', message: expect.stringContaining('for good'), incident: null },
      { id: third.id, outcome: 'changed', message: null, incident: { status: 'acknowledged' } },
    ]);
    expect((await incidents()).map(({ status }) => status)).toEqual(['acknowledged', 'resolved', 'acknowledged']);
    const audited = (await call('GET', '/v1/audit-log?action=incident.acknowledged')).body.items;
    expect(audited.map((row: { resource_id: string }) => row.resource_id)).toEqual([third.id, first.id]);
    expect((await call('GET', `/v1/incidents/${third.id}`)).body.timeline[0].data.note).toBe('On it.');
  });

  it.each([
    [{ status: 'resolved' }, 'ids'],
    [{ ids: [], status: 'resolved' }, 'ids'],
    [{ ids: ['x'], status: 'resolved' }, 'ids'],
    [{ ids: 'x', status: 'resolved' }, 'ids'],
    [{ ids: Array.from({ length: 101 }, () => NOBODY), status: 'resolved' }, 'ids'],
    [{ ids: [NOBODY] }, 'status'],
    [{ ids: [NOBODY], status: 'open', resolution: 'Done.' }, 'resolution'],
  ])('are not changed by %j, and the error names %s', async (body, field) => {
    const answer = await app.call('POST', '/v1/incidents/bulk', body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect(answer.body.details).toContainEqual({ field, message: expect.any(String) });
  });
});

describe('the list of incidents', () => {
  it('is filtered by status, severity, type, user and policy', async () => {
    const { violate, incidents, call, policyId, userId } = await stageOn(app);
    await violate();
    const alert = await call('POST', '/v1/policies', { name: 'Watch', action: 'alert', model: 'o1' });
    app.clock.advance(1);
    await violate(undefined, { model: 'o1' });
    const all = await incidents();
    const mine = all.find(({ policy_id }) => policy_id === policyId);
    await call('PATCH', `/v1/incidents/${mine.id}`, { status: 'resolved' });
    const sizes = async (...queries: string[]) =>
      Promise.all(queries.map(async query => (await incidents(query)).length));
    expect(all).toHaveLength(3);
    expect(await sizes('&status=open', '&status=resolved', '&status=acknowledged')).toEqual([2, 1, 0]);
    expect(await sizes('&severity=high', '&severity=medium', '&severity=low')).toEqual([2, 1, 0]);
    expect(await sizes('&type=policy_violation', '&type=anomaly')).toEqual([3, 0]);
    expect(await sizes(`&user_id=${userId.toUpperCase()}`, '&user_id=nobody')).toEqual([3, 0]);
    expect(await sizes(`&policy_id=${alert.body.id}`, `&policy_id=${policyId}&status=open`)).toEqual([1, 1]);
    for (const query of ['status=closed', 'severity=worst', 'type=fire', 'policy_id=x', 'user_id=']) {
      expect((await call('GET', `/v1/incidents?${query}`)).status).toBe(400);
    }
  });
});

describe('a timeline', () => {
  it("has decisions, their events and deliveries, and people's changes, newest first", async () => {
    const { violate, incidents, call } = await stageOn(app);
    // No process listens at the URL of the webhooks. The second webhook does not subscribe to violations.
    const { id: webhook } = await registerWebhook(call, { url: 'https://127.0.0.1:9/', events: ['policy_violation'] });
    await registerWebhook(call, { url: 'https://127.0.0.1:9/', events: ['device_enrolled'] });
    const first = await violate();
    app.clock.advance(1_000);
    const second = await violate();
    app.clock.advance(1_000);
    const [{ id }] = await incidents();
    await call('PATCH', `/v1/incidents/${id}`, { status: 'acknowledged' });
    const read = async () => (await call('GET', `/v1/incidents/${id}/timeline`)).body;
    // A first attempt has failed, and the delivery waits for the next.
    await until(async () => (await call('GET', `/v1/webhooks/${webhook}`)).body.health.attempts > 1);
    const { items, total_count } = await read();
    const delivery = { id: expect.any(String), webhook_id: webhook, status: 'pending', attempts: 1, ended_at: null };
    const occurrence = (decision: { id: string; evaluated_at: string }) => ({
      id: decision.id,
      kind: 'occurrence',
      at: decision.evaluated_at,
      actor: null,
      data: {
        decision_id: decision.id,
        event_id: expect.stringMatching(/^evt_/),
        action: 'block',
        deliveries: [delivery],
        tickets: [],
      },
    });
    expect(total_count).toBe(4);
    expect(items.slice(0, 2)).toMatchObject([
      { kind: 'status', data: { from: 'open', to: 'acknowledged' } },
      occurrence(second),
    ]);
    // The occurrence and the entry `opened` were created in the same millisecond.
    expect(items.slice(2)).toEqual([occurrence(first), expect.objectContaining({ kind: 'opened' })]);
    const sent = (await call('GET', `/v1/webhooks/${webhook}/deliveries`)).body.items;
    expect(items[1].data.deliveries[0].id).toBe(sent[0].id);
    expect(items[1].data.event_id).toBe(sent[0].event_id);
  });

  it('begins with the first occurrence, also if all happens within one millisecond', async () => {
    const { violate, incidents, call } = await stageOn(app);
    for (let at = 0; at < 8; at++) await violate(undefined, { model: `model-${at}` });
    for (const { id } of await incidents()) {
      const { items } = (await call('GET', `/v1/incidents/${id}/timeline`)).body;
      expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(['occurrence', 'opened']);
      expect(items[1].id.slice(0, 14)).toBe(id.slice(0, 14));
    }
  });

  it('has cursor pagination without gaps and repetitions, and its newest fifty entries are in the incident', async () => {
    const { violate, incidents, call } = await stageOn(app);
    for (let at = 0; at < 60; at++) {
      app.clock.advance(at % 3);
      await violate();
    }
    const [{ id }] = await incidents();
    for (let at = 0; at < 10; at++) await call('PATCH', `/v1/incidents/${id}`, { note: `Note ${at}` });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await call('GET', `/v1/incidents/${id}/timeline?limit=7${query}`);
      expect(body.total_count).toBe(71);
      seen.push(...body.items.map((item: { id: string }) => item.id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
    expect(seen).toHaveLength(71);
    const { timeline } = (await call('GET', `/v1/incidents/${id}`)).body;
    expect(timeline.map((item: { id: string }) => item.id)).toEqual(seen.slice(0, 50));
  });
});

describe('a credential', () => {
  it('of a member shows only incidents of their user, without notes and deliveries', async () => {
    const { violate, incidents, call, orgId, userId } = await stageOn(app);
    await registerWebhook(call, { url: 'https://127.0.0.1:9/', enabled: false });
    await violate();
    const bob = (await call('POST', '/v1/users', { email: `${orgId}@example.com`, name: 'Bob' })).body.id;
    await violate(undefined, { user_id: bob });
    const [theirs] = await incidents(`&user_id=${bob}`);
    const [own] = await incidents(`&user_id=${userId}`);
    await call('PATCH', `/v1/incidents/${own.id}`, { note: 'Among us.' });
    await call('PATCH', `/v1/incidents/${own.id}`, { status: 'acknowledged', note: 'Among us.' });
    const ada = app.as(await createToken(app.app, orgId, 'member', userId));
    expect((await ada('GET', '/v1/incidents')).body.items).toMatchObject([{ id: own.id }]);
    expect((await ada('GET', `/v1/incidents?user_id=${userId}`)).body.items).toHaveLength(1);
    expect((await ada('GET', `/v1/incidents?user_id=${bob}`)).status).toBe(403);
    for (const path of [`/v1/incidents/${theirs.id}`, `/v1/incidents/${theirs.id}/timeline`]) {
      expect((await ada('GET', path)).status).toBe(404);
    }
    for (const path of [`/v1/incidents/${own.id}`, `/v1/incidents/${own.id}/timeline`]) {
      const { body, text } = await ada('GET', path);
      const items: { kind: string; data: object }[] = body.items ?? body.timeline;
      expect(items.map(({ kind }) => kind).sort()).toEqual(['occurrence', 'opened', 'status']);
      expect(text).not.toContain('Among us.');
      const { data } = items.find(({ kind }) => kind === 'occurrence') ?? {};
      expect(data).not.toHaveProperty('deliveries');
      expect(data).not.toHaveProperty('tickets');
    }
    expect((await ada('GET', `/v1/incidents/${own.id}/timeline`)).body.total_count).toBe(3);
  });

  it('of a member does not show other users in a condition', async () => {
    const { violate, incidents, call, orgId, userId, policyId } = await stageOn(app);
    const { email } = (await call('GET', `/v1/users/${userId}`)).body;
    const conditions = { email: { in: ['boss@example.com', email] }, department: { not_eq: 'Secret' } };
    expect((await call('PUT', `/v1/policies/${policyId}`, { conditions })).status).toBe(200);
    await violate();
    const ada = app.as(await createToken(app.app, orgId, 'member', userId));
    const [{ id, details }] = await incidents();
    expect(JSON.stringify(details.matched_conditions)).toContain('boss@example.com');
    const path = `/v1/incidents/${id}`;
    const [listed, got, timeline] = [await ada('GET', '/v1/incidents'), await ada('GET', path), `${path}/timeline`];
    for (const shown of [listed.body.items[0], got.body]) {
      expect(shown.details).toEqual({ ...details, matched_conditions: expect.any(Array) });
      expect(shown.details.matched_conditions).toHaveLength(2);
      expect(shown.details.matched_conditions).toEqual(
        expect.arrayContaining([
          { attribute: 'email', operator: 'in', value: email },
          { attribute: 'department', operator: 'not_eq', value: 'Sales' },
        ]),
      );
    }
    for (const { text } of [listed, got, await ada('GET', timeline)]) expect(text).not.toMatch(/boss@|Secret/);
    // Callers who handle incidents see the details with the condition.
    expect((await call('GET', path)).body.details).toEqual(details);
  });

  it('that may only read its own incidents, and belongs to no user, gets an error that explains this', async () => {
    const stranger = app.as(await createToken(app.app, app.orgId, 'member'));
    for (const path of ['/v1/incidents', `/v1/incidents/${NOBODY}`, '/v1/incidents/stream']) {
      expect(await stranger('GET', path)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    }
  });

  it('of an auditor reads but does not change; that of an agent does neither', async () => {
    const { path, orgId, incident } = await withIncident();
    const auditor = app.as(await createToken(app.app, orgId, 'auditor'));
    const agent = app.as(await createToken(app.app, orgId, 'agent'));
    expect((await auditor('GET', path)).status).toBe(200);
    for (const call of [auditor, agent]) {
      expect((await call('PATCH', path, { status: 'resolved' })).status).toBe(403);
      expect((await call('POST', '/v1/incidents/bulk', { ids: [incident.id], status: 'resolved' })).status).toBe(403);
    }
    for (const route of ['/v1/incidents', path, `${path}/timeline`, '/v1/incidents/stream']) {
      expect((await agent('GET', route)).status).toBe(403);
    }
  });
});
