// Runs with an additional usage figure. It is a separate process, because the libraries read the table of figures only
// once, when they are loaded. Prints the answer of the API as JSON.
import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';
import { FIGURES, type CountFigure } from '../../libs/usage/figures/figures.js';
import { createTestDatabase } from '../support/test-postgres.js';

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

Reflect.apply(Array.prototype.push, FIGURES, [REASONED]);
const { UsageModule } = await import('#usage');
UsageModule.library.migrations.push({ name: '0595_reasoned_requests', class: ReasonedRequestsMigration0595 });
const { createOpenApiDocument } = await import('#governance');
const { startTestApp } = await import('../support/test-app.js');
const { createUser, report, usageEvent } = await import('../e2e/usage.support.js');

// Migrates a new database instead of copying the template of the test run, because the template lacks the column of the
// figure.
const database = await createTestDatabase();
const app = await startTestApp({ testDatabase: database });
const { call } = app;
const user_id = await createUser(call, 'ada');
await report(
  call,
  usageEvent({ user_id, reasoning_tokens: 5, requests: 3 }),
  usageEvent({ user_id, requests: 4 }),
  usageEvent({ user_id, reasoning_tokens: 1, occurred_at: '2026-11-19T10:00:00Z' }),
);

const json = async (path: string): Promise<unknown> => (await call('GET', path)).body;
const csv = async (path: string): Promise<Record<string, string>[]> => {
  const { text } = await call('GET', path, undefined, { accept: 'text/csv' });
  const [header = '', ...lines] = text.trimEnd().split('\r\n');
  const names = header.split(',');
  return lines.map(line => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])));
};

const SERIES = '/v1/usage/series?metric=reasoned_requests';
const answers = {
  report: await json('/v1/usage?period=daily'),
  reportCsv: await csv('/v1/usage'),
  breakdown: await json('/v1/usage/breakdown?group_by=model&period=monthly'),
  breakdownCsv: await csv('/v1/usage/breakdown'),
  series: await json(SERIES),
  seriesByUser: await json(`${SERIES}&group_by=user`),
  seriesCsv: await csv(SERIES),
  focusCsv: await csv('/v1/usage/focus'),
  schemas: createOpenApiDocument(app.app).components?.schemas,
};
await app.close();
await database.drop();
process.stdout.write(JSON.stringify(answers));
