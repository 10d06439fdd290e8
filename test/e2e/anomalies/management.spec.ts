import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { unpackWatch } from '../../../libs/anomalies/detect/index.js';
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

/** A user with unusual usage today. */
async function alarmed(): Promise<{ userId: string; anomaly: Answer['body'] }> {
  const userId = await org.person();
  org.usual(userId, 28);
  org.use(userId, 0, 10, 150);
  await org.send();
  await detect(app);
  const [anomaly] = await org.anomalies(`&user_id=${userId}`);
  return { userId, anomaly };
}

describe('settings of anomaly detection', () => {
  it('are the defaults until somebody changes them, field by field', async () => {
    const { body: before } = await org.call('GET', '/v1/anomalies/settings');
    expect(before).toEqual({
      ...{ sensitivity: 'medium', quiet_days: 2, minimum_requests: 10, minimum_tokens: 10_000, minimum_cost_usd: 1 },
      ...{ usage_spikes: true, organization_spikes: true, pre_departure: true, leaver_attribute: 'leaving' },
      updated_at: null,
    });
    await org.call('PUT', '/v1/anomalies/settings', { sensitivity: 'low', leaver_attribute: null });
    const { status, body } = await org.call('PUT', '/v1/anomalies/settings', { quiet_days: 5 });
    expect([status, body]).toEqual([
      200,
      {
        ...before,
        sensitivity: 'low',
        leaver_attribute: null,
        quiet_days: 5,
        updated_at: app.clock.now().toISOString(),
      },
    ]);
    expect((await org.call('GET', '/v1/anomalies/settings')).body).toEqual(body);
    const { body: log } = await org.call('GET', '/v1/audit-log?action=anomaly_settings.updated');
    expect(log.items.map((row: Answer['body']) => row.after.quiet_days)).toEqual([5, 2]);
  });

  it.each([
    [{ sensitivity: 'loud' }, 'sensitivity'],
    [{ quiet_days: 0 }, 'quiet_days'],
    [{ minimum_requests: -1 }, 'minimum_requests'],
    [{ usage_spikes: 'yes' }, 'usage_spikes'],
    [{ leaver_attribute: '' }, 'leaver_attribute'],
    [{ volume: 11 }, 'volume'],
  ])('refuse %j with the name of the field', async (settings, field) => {
    const { status, body } = await org.call('PUT', '/v1/anomalies/settings', settings);
    expect([status, body.details.map((detail: Answer['body']) => detail.field)]).toEqual([400, [field]]);
  });

  it('suppress anomalies of a kind, below a size, or by sensitivity', async () => {
    for (const settings of [
      { usage_spikes: false },
      { minimum_requests: 10_000, minimum_tokens: 1e9 },
      { sensitivity: 'low' },
    ]) {
      org = await watchedOn(app);
      await org.call('PUT', '/v1/anomalies/settings', { organization_spikes: false, ...settings });
      const userId = await org.person();
      org.usual(userId, 28);
      org.use(userId, 0, 10, 170);
      await org.send();
      await detect(app);
      expect([settings, await org.anomalies()]).toEqual([settings, []]);
    }
    org = await watchedOn(app);
    const userId = await org.person();
    org.usual(userId, 28);
    org.use(userId, 0, 10, 170);
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toHaveLength(1);
  });
});

describe('feedback on an anomaly', () => {
  it('is stored with its author, and later feedback replaces it', async () => {
    const { anomaly } = await alarmed();
    const path = `/v1/anomalies/${anomaly.id}/feedback`;
    const { status, body } = await org.call('POST', path, { feedback: 'expected', note: 'Load test.' });
    expect([status, body]).toEqual([
      200,
      {
        ...anomaly,
        ...{ feedback: 'expected', feedback_note: 'Load test.', feedback_at: app.clock.now().toISOString() },
        feedback_by: expect.objectContaining({ kind: 'token' }),
      },
    ]);
    await org.call('POST', path, { feedback: 'unexpected' });
    expect((await org.call('GET', `/v1/anomalies/${anomaly.id}`)).body).toMatchObject({
      feedback: 'unexpected',
      feedback_note: null,
    });
    expect(await org.anomalies('&feedback=unexpected')).toHaveLength(1);
    expect(await org.anomalies('&feedback=none')).toEqual([]);
    expect((await org.call('POST', path, { feedback: 'maybe' })).status).toBe(400);
    expect((await org.call('POST', `/v1/anomalies/${randomUUID()}/feedback`, { feedback: 'expected' })).status).toBe(
      404,
    );
  });

  it('changes the limits of the user, and changed feedback restores them', async () => {
    const { userId, anomaly } = await alarmed();
    const path = `/v1/anomalies/${anomaly.id}/feedback`;
    const tolerance = async () => {
      const [row] = await app.database.asOwner<{ state: Buffer }>(
        'select state from governance.anomaly_people where org_id = $1 and user_id = $2',
        [org.orgId, userId],
      );
      return row && unpackWatch(row.state)?.tolerance;
    };
    expect(await tolerance()).toBe(1);
    await org.call('POST', path, { feedback: 'expected' });
    await org.call('POST', path, { feedback: 'expected' });
    expect(await tolerance()).toBe(1.25);
    await org.call('POST', path, { feedback: 'unexpected' });
    expect(await tolerance()).toBeCloseTo(0.85);
  });

  it('suppresses later anomalies of similar days', async () => {
    const { userId, anomaly } = await alarmed();
    for (let time = 0; time < 4; time++) {
      await org.call('POST', `/v1/anomalies/${anomaly.id}/feedback`, { feedback: 'expected', note: `${time}` });
    }
    const again = await alarmed();
    await org.call('POST', `/v1/anomalies/${again.anomaly.id}/feedback`, { feedback: 'expected' });
    app.clock.set('2026-11-27T12:00:00Z');
    org.use(userId, -7, 10, 170);
    org.use(again.userId, -7, 10, 170);
    const other = await org.person();
    org.usual(other, 28);
    org.use(other, -7, 10, 170);
    await org.send();
    await detect(app);
    const late = (await org.anomalies()).filter(({ window }) => window.start === '2026-11-27T00:00:00.000Z');
    expect(late.map(({ user_id }) => user_id)).toEqual([other]);
  });
});

describe('the list of anomalies', () => {
  it('has the anomalies of usage in a time range, also if they were detected later', async () => {
    const { userId, anomaly } = await alarmed();
    const { start, end } = anomaly.window;
    const idsIn = async (query: string) => (await org.anomalies(query)).map(({ id }) => id);
    app.clock.advance(24 * 3_600_000);
    expect(Date.parse(anomaly.detected_at)).toBeGreaterThan(Date.parse(start));
    expect(await idsIn(`&user_id=${userId}&since=${start}&until=${end}`)).toEqual([anomaly.id]);
    expect(await idsIn(`&user_id=${userId}&since=${end}`)).toEqual([]);
    expect(await idsIn(`&user_id=${userId}&until=${start}`)).toEqual([]);
    expect((await org.call('GET', '/v1/anomalies?since=yesterday')).status).toBe(400);
    const { body: overview } = await org.call('GET', '/v1/overview');
    expect(overview.anomalies.newest).toContainEqual(
      expect.objectContaining({ id: anomaly.id, window_start: start, window_end: end }),
    );
  });
});

describe('a simulation of anomalies', () => {
  it('shows the anomalies of the last days under other settings, and changes nothing', async () => {
    await org.call('PUT', '/v1/anomalies/settings', { usage_spikes: false, organization_spikes: false });
    const [spiky, calm] = [await org.person(), await org.person()];
    for (const userId of [spiky, calm]) org.usual(userId, 60);
    org.use(spiky, 5, 10, 400);
    org.use(spiky, 20, 10, 400);
    await org.send();
    await detect(app);
    const { status, body } = await org.call('POST', '/v1/anomalies/simulate', {
      days: 10,
      settings: { usage_spikes: true },
    });
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ first_day: '2026-11-11', last_day: '2026-11-20', people: 2, is_sample: false, alarms: 1 },
        alarms_per_day: [{ date: '2026-11-15', alarms: 1 }],
        by_user: [{ user_id: spiky, alarms: 1 }],
        sample: [{ date: '2026-11-15', kind: 'usage_spike', user_id: spiky }],
        settings: { usage_spikes: true, organization_spikes: false },
      },
    ]);
    expect((await org.call('POST', '/v1/anomalies/simulate')).body).toMatchObject({ alarms: 0 });
    expect(await org.anomalies()).toEqual([]);
    expect((await org.call('GET', '/v1/anomalies/settings')).body.usage_spikes).toBe(false);
    expect((await org.call('POST', '/v1/anomalies/simulate', { days: 91 })).status).toBe(400);
  });

  it('agrees with the anomalies that the detection raised', async () => {
    const { userId } = await alarmed();
    const { body } = await org.call('POST', '/v1/anomalies/simulate', { days: 3 });
    const raised = await org.anomalies();
    expect(body.alarms).toBe(raised.length);
    expect(body.by_user).toMatchObject([{ user_id: userId, alarms: 1 }]);
  });
});
