import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { detect, TODAY, watchedOn, type Watched } from './anomalies.support.js';

let app: TestApp;
let org: Watched;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

describe('a usage spike of an organization', () => {
  it('raises one anomaly if many users together cause it and none of them is unusual', async () => {
    app.clock.set(TODAY);
    org = await watchedOn(app);
    const people = await Promise.all(Array.from({ length: 6 }, () => org.person()));
    for (const userId of people) org.usual(userId, 28);
    const newcomers = await Promise.all(Array.from({ length: 60 }, () => org.person()));
    await org.send();
    await detect(app);
    for (const userId of newcomers) org.use(userId, 0, 10, 5);
    await org.send();
    await detect(app);
    for (const userId of newcomers) org.use(userId, 0, 11, 5);
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toMatchObject([
      {
        ...{ kind: 'usage_spike', severity: 'medium', user_id: null, user_email: null },
        window: { start: '2026-11-20T10:00:00.000Z', end: '2026-11-20T11:00:00.000Z' },
      },
    ]);
  });

  it('is detected after the hour has ended', async () => {
    app.clock.set(TODAY);
    org = await watchedOn(app);
    const people = await Promise.all(Array.from({ length: 6 }, () => org.person()));
    for (const userId of people) org.usual(userId, 28);
    const newcomers = await Promise.all(Array.from({ length: 60 }, () => org.person()));
    for (const userId of newcomers) org.use(userId, 0, 12, 5);
    await org.send();
    await detect(app);
    expect(await org.anomalies()).toEqual([]);
    app.clock.set('2026-11-20T13:00:00Z');
    await detect(app);
    expect(await org.anomalies()).toMatchObject([{ user_id: null, window: { start: '2026-11-20T12:00:00.000Z' } }]);
  });
});
