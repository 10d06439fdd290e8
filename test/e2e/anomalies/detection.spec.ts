import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { detect, TODAY, watchedOn, type Watched } from './anomalies.support.js';

let app: TestApp;
let org: Watched;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

beforeEach(async () => {
  app.clock.set(TODAY);
  org = await watchedOn(app);
});

/** A user with weeks of normal usage that the detection has already processed. */
async function knownPerson(fields: object = {}): Promise<string> {
  const id = await org.person(fields);
  org.usual(id, 28);
  await org.send();
  await detect(app);
  await detect(app);
  expect(await org.anomalies()).toEqual([]);
  return id;
}

describe('a usage spike of a user', () => {
  it('raises one anomaly with its explanation, its incident and its event', async () => {
    const userId = await knownPerson();
    org.use(userId, 0, 10, 400);
    await org.send();
    await detect(app);
    const [anomaly, ...others] = await org.anomalies();
    expect(others).toEqual([]);
    expect(anomaly).toMatchObject({
      ...{ kind: 'usage_spike', user_id: userId, model: null, metric: 'requests', feedback: null },
      ...{
        history_days: 28,
        expected_low: 0,
        window: { start: '2026-11-20T00:00:00.000Z', end: '2026-11-21T00:00:00.000Z' },
      },
    });
    expect(anomaly.observed).toBeGreaterThan(anomaly.expected_high);
    expect(anomaly.expected_high).toBeGreaterThan(4);
    expect(anomaly.series.length).toBe(29);
    const { body: incidents } = await org.call('GET', '/v1/incidents');
    expect(incidents.items).toMatchObject([
      { id: anomaly.incident_id, type: 'anomaly', user_id: userId, occurrences: 1 },
    ]);
    expect(incidents.items[0].details).toMatchObject({ anomaly_id: anomaly.id, rule_in_words: anomaly.rule_in_words });
    const events = await app.database.asOwner<{ body: Buffer }>(
      'select body from governance.events where org_id = $1',
      [org.orgId],
    );
    const [event] = events.map(({ body }) => JSON.parse(body.toString('utf8')));
    expect(event).toMatchObject({
      type: 'anomaly_detected',
      data: {
        ...{ alert_id: anomaly.incident_id, kind: 'usage_spike', user_id: userId, metric: 'requests' },
        ...{ observed: anomaly.observed, expected_high: anomaly.expected_high, window: anomaly.window },
      },
    });
  });

  it('raises one anomaly although the day continues, and its usage is corrected or late', async () => {
    const userId = await knownPerson();
    org.use(userId, 0, 10, 400);
    await org.send();
    await detect(app);
    org.use(userId, 0, 11, 20);
    await org.send();
    await detect(app);
    org.use(userId, 1, 11, 3);
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toHaveLength(1);
  });

  it('raises an anomaly for a day whose usage comes a day late', async () => {
    const userId = await knownPerson();
    org.use(userId, 1, 10, 400);
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toMatchObject([{ window: { start: '2026-11-19T00:00:00.000Z' } }]);
  });

  it('changes only the baseline if it is imported long afterwards', async () => {
    const userId = await knownPerson();
    org.use(userId, 10, 10, 400);
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toEqual([]);
  });

  it('raises a cost anomaly if only the model became more expensive', async () => {
    const userId = await org.person();
    org.usual(userId, 28, { cost_usd: 0.02 });
    await org.send();
    await detect(app);
    for (let hour = 9; hour < 12; hour++) org.use(userId, 0, hour, 5, { cost_usd: 40 });
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toMatchObject([{ metric: 'cost_usd', kind: 'usage_spike' }]);
  });

  it('counts days in the time zone of the organization', async () => {
    await org.call('PATCH', '/v1/organization', { time_zone: 'Asia/Kolkata' });
    const userId = await knownPerson();
    org.use(userId, 1, 20, 400);
    await org.send();
    await detect(app);
    // 20:00 UTC on the 19th is 01:30 on the 20th in India.
    expect(await org.anomalies()).toMatchObject([{ window: { start: '2026-11-19T18:30:00.000Z' } }]);
  });
});

describe('a user who is about to leave', () => {
  it('causes anomalies at lower limits and with a higher severity', async () => {
    const [leaver, colleague] = [await knownPerson(), await knownPerson()];
    await org.call('POST', `/v1/users/${leaver}/offboard`, { departure_date: '2026-12-31' });
    for (const userId of [leaver, colleague]) for (let hour = 9; hour < 11; hour++) org.use(userId, 0, hour, 50);
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toMatchObject([{ kind: 'pre_departure', user_id: leaver, severity: 'critical' }]);
  });

  it('causes an anomaly at the first use of a model', async () => {
    const leaver = await knownPerson({ attributes: { leaving: true } });
    org.use(leaver, 0, 9, 12, { model: 'o1' });
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toMatchObject([
      { kind: 'pre_departure', model: 'o1', rule: 'new_model', observed: 12, expected_high: 0 },
    ]);
  });

  it('is treated like other users if the settings say so', async () => {
    const leaver = await knownPerson({ attributes: { leaving: true } });
    await org.call('PUT', '/v1/anomalies/settings', { pre_departure: false });
    org.use(leaver, 0, 9, 12, { model: 'o1' });
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toEqual([]);
  });
});
