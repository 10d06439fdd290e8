import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import type { TestDatabase } from '../support/test-postgres.js';
import { until } from '../support/webhooks.js';

describe('the log of the bundled app', () => {
  let database: TestDatabase;
  let app: StandaloneProcess;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    app = await startStandalone({
      DATABASE_URL: database.url,
      GOVERNANCE_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      GOVERNANCE_ADMIN_TOKEN: 'g'.repeat(40),
      // An empty value counts as unset. The app then chooses the format by its standard output, which is a pipe here.
      GOVERNANCE_LOG_FORMAT: '',
      GOVERNANCE_ACCESS_LOG: 'true',
    });
  });

  afterAll(async () => {
    await app?.end('SIGTERM');
    await database?.drop();
  });

  it('is JSON if standard output is not a terminal, and has a line for each request without its query', async () => {
    const answer = await fetch(`${app.url}/v1/policies?cursor=hunter2`, {
      headers: { authorization: `Bearer ${'g'.repeat(40)}` },
    });
    const id = answer.headers.get('x-request-id');
    await answer.text();
    await until(async () => app.output().includes('GovernanceAccess'));
    const lines = app
      .output()
      .split('\n')
      .filter(line => line !== '');
    // Parses every line, because a log collector fails on a line that is not JSON.
    const written = lines.map(line => JSON.parse(line) as { context?: string; event?: object; api?: string });
    expect(written.find(({ api }) => api !== undefined)).toMatchObject({
      ...{ level: 'info', context: 'Governance', api: `${app.url}/v1`, org_id: app.orgId },
      ...{ message: `nest-llm-governance is running at ${app.url}`, admin_token: 'as given before' },
      ...{ admin_token_file: null, admin_token_hint: expect.stringContaining(`--org ${app.orgId}`) },
    });
    expect(written.find(({ context }) => context === 'GovernanceAccess')?.event).toEqual({
      method: 'GET',
      path: '/v1/policies',
      status: answer.status,
      milliseconds: expect.any(Number),
      request_id: id,
    });
    expect(app.output()).not.toContain('hunter2');
  });
});
