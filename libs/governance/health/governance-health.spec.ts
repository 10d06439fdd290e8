import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OrgDatabase } from '#database';
import { startTestApp, type TestApp } from '../../../test/support/test-app.js';

describe('GET /health/ready', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  const probe = async (): Promise<number> => (await app.as(null)('GET', '/health/ready')).status;

  it('checks the database once for concurrent requests, and once a second for later ones', async () => {
    const queries = jest.spyOn(app.app.get(OrgDatabase), 'global');
    const looked = () => queries.mock.calls.filter(([sql]) => sql.includes('to_regclass')).length;
    const startedAt = performance.now();
    expect(new Set(await Promise.all(Array.from({ length: 50 }, probe)))).toEqual(new Set([200]));
    for (let n = 0; n < 50; n++) expect(await probe()).toBe(200);
    const seconds = Math.floor((performance.now() - startedAt) / 1_000);
    expect(looked()).toBeGreaterThan(0);
    expect(looked()).toBeLessThanOrEqual(1 + seconds);
    queries.mockRestore();
  });
});
