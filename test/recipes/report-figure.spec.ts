import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';
import { FIGURES, type CountFigure } from '../../libs/usage/figures/figures.js';
import { createUser, report, usageEvent } from '../e2e/usage.support.js';
import type { TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';

// The recipe "a report figure" of CONTRIBUTING.md, followed in a database of its own.

// recipe: the line
const REASONED: CountFigure = {
  name: 'reasonedRequests',
  column: 'reasoned_requests',
  field: 'reasoned_requests',
  unit: 'requests',
  of: ({ tokens, requests }) => (tokens.reasoning_tokens > 0 ? requests : 0),
  focus: 'x_ReasonedRequests',
  description: 'Requests whose answer needed reasoning.',
  example: 12,
};
// recipe: end

// recipe: the migration
/** How many requests needed reasoning. */
class ReasonedRequestsMigration0595 extends Migration {
  override up(): void {
    for (const table of ['usage_hourly', 'usage_daily', 'usage_totals']) {
      this.addSql(`alter table ${SCHEMA}.${table} add column reasoned_requests bigint not null default 0`);
    }
  }
}
// recipe: end

describe('the recipe for a report figure', () => {
  let database: TestDatabase;
  let app: TestApp;

  beforeAll(async () => {
    jest.unstable_mockModule('../../libs/usage/figures/figures.js', () => ({ FIGURES: [...FIGURES, REASONED] }));
    const { UsageModule } = await import('#usage');
    UsageModule.library.migrations.push({ name: '0595_reasoned_requests', class: ReasonedRequestsMigration0595 });
    // After the table: what is made from it is made when it is loaded. The template of the run is without the figure.
    const { startTestApp } = await import('../support/test-app.js');
    database = await createTestDatabase();
    app = await startTestApp({ testDatabase: database });
    const user_id = await createUser(app.call, 'ada');
    await report(
      app.call,
      usageEvent({ user_id, reasoning_tokens: 5, requests: 3 }),
      usageEvent({ user_id, requests: 4 }),
      usageEvent({ user_id, reasoning_tokens: 1, occurred_at: '2026-11-19T10:00:00Z' }),
    );
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const csv = async (path: string): Promise<Record<string, string>[]> => {
    const { text } = await app.call('GET', path, undefined, { accept: 'text/csv' });
    const [header = '', ...lines] = text.trimEnd().split('\r\n');
    const names = header.split(',');
    return lines.map(line => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])));
  };

  it('shows the figure in the report and its CSV', async () => {
    const { body } = await app.call('GET', '/v1/usage?period=daily');
    expect(body.items).toMatchObject([
      { period: '2026-11-20', total_requests: 7, reasoned_requests: 3 },
      { period: '2026-11-19', total_requests: 1, reasoned_requests: 1 },
    ]);
    expect(await csv('/v1/usage')).toMatchObject([{ reasoned_requests: '3' }, { reasoned_requests: '1' }]);
  });

  it('shows the figure in the breakdown and its CSV', async () => {
    const { body } = await app.call('GET', '/v1/usage/breakdown?group_by=model&period=monthly');
    expect(body).toMatchObject({ lines: [{ reasoned_requests: 4 }], totals: { reasoned_requests: 4 } });
    expect(await csv('/v1/usage/breakdown')).toMatchObject([{ reasoned_requests: '1' }, { reasoned_requests: '3' }]);
  });

  it('shows the figure as the metric of a series and its CSV, for everybody and for one user', async () => {
    const series = '/v1/usage/series?metric=reasoned_requests';
    const { body } = await app.call('GET', series);
    expect(body).toMatchObject({ total: 4, points: [{ value: 1 }, { value: 3 }] });
    const byUser = await app.call('GET', `${series}&group_by=user`);
    expect(byUser.body.groups).toMatchObject([{ user_email: 'ada@example.com', total: 4 }]);
    expect(await csv(series)).toMatchObject([{ reasoned_requests: '1' }, { reasoned_requests: '3' }]);
  });

  it('adds the figure to the FOCUS export', async () => {
    const rows = await csv('/v1/usage/focus');
    expect(rows.map(row => row['x_ReasonedRequests'])).toEqual(['1', '3']);
  });

  it('describes the figure in the OpenAPI document', async () => {
    const { createOpenApiDocument } = await import('#governance');
    const { schemas = {} } = createOpenApiDocument(app.app).components ?? {};
    for (const name of ['GovernanceUsageSummaryDto', 'GovernanceUsageFiguresDto', 'GovernanceUsageLineDto']) {
      expect(schemas[name]).toMatchObject({
        properties: { reasoned_requests: { type: 'integer', description: REASONED.description, example: 12 } },
        required: expect.arrayContaining(['reasoned_requests']),
      });
    }
  });

  it.each(['the line', 'the migration'])('has %s that CONTRIBUTING.md shows', part => {
    const [, code = ''] = readFileSync(import.meta.filename, 'utf8').split(`// recipe: ${part}\n`);
    const shown = code
      .split('// recipe: end')[0]!
      .replace('const REASONED: CountFigure = {', '{')
      .replace('};\n', '},\n');
    const guide = readFileSync(join(import.meta.dirname, '..', '..', 'CONTRIBUTING.md'), 'utf8');
    const bare = (text: string) => text.replaceAll(/\s+/g, ' ');
    expect({ shown, isInGuide: bare(guide).includes(bare(shown).trim()) }).toEqual({ shown, isInGuide: true });
  });
});
