import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';
import { until } from '../support/webhooks.js';

/** Tables of the configuration, and of the versions by which replicas notice its changes. */
const TABLES = ['policies', 'budgets', 'users', 'access_tokens', 'change_marks'];

/** Copies the tables. Returns a function that brings the copies back in one transaction, as a restore would. */
async function backUp(database: TestDatabase): Promise<() => Promise<unknown>> {
  const copies = TABLES.map(table => `create table backup.${table} as select * from governance.${table};`);
  await database.asOwner(`do $$ begin create schema backup; ${copies.join(' ')} end $$`);
  const returns = TABLES.map(
    table => `delete from governance.${table}; insert into governance.${table} select * from backup.${table};`,
  );
  // Skips triggers, and with them the foreign keys, because rows of other tables refer to the deleted rows.
  const withoutTriggers = 'set local session_replication_role = replica;';
  return () => database.asOwner(`do $$ begin ${withoutTriggers} ${returns.join(' ')} end $$`);
}

describe('replicas of a database that was restored to an earlier state', () => {
  let replicas: TestApp[];
  let call: Call;

  beforeAll(async () => {
    const first = await startTestApp();
    const shared = { testDatabase: first.database, orgId: first.orgId, time: first.clock };
    replicas = [first, await startTestApp(shared)];
    call = first.call;
  });

  afterAll(async () => {
    for (const replica of (replicas ?? []).toReversed()) await replica.close();
  });

  async function created(path: string, body: object): Promise<{ id: string; token: string }> {
    const answer = await call('POST', path, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  it('follow it: policies, budgets, users and tokens are as they were', async () => {
    const person = () =>
      created('/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada', department: 'Sales' });
    const [ada, ben] = [await person(), await person()];
    const { id: tokenId, token } = await created('/v1/tokens', { name: 'Reports', role: 'admin' });
    await call('PUT', '/v1/prices', {
      provider: 'acme',
      model: '*',
      input_per_million_usd: 1,
      output_per_million_usd: 1,
    });
    const tokensOf = { estimated_input_tokens: 100_000, max_output_tokens: 100_000 };

    /**
     * The answers of each replica: a policy decides the request for model-1, a budget the request for model-2, and the
     * user's status the request of Ben.
     */
    const answers = (): Promise<string[]> =>
      Promise.all(
        replicas.map(async replica => {
          const admin = replica.as(replicas[0]?.adminToken ?? '');
          const decide = async (user: string, model: string): Promise<string> => {
            const request = { user_id: user, provider: 'acme', model, ...tokensOf };
            const { status, body } = await admin('POST', '/v1/decisions', request);
            return status === 200 || status === 201 ? (body.allowed ? 'allowed' : 'refused') : String(status);
          };
          const decisions = [
            await decide(ada.id, 'model-1'),
            await decide(ada.id, 'model-2'),
            await decide(ben.id, 'model-3'),
          ];
          const { status } = await replica.as(token)('GET', '/v1/policies');
          return [...decisions, status].join(' ');
        }),
      );
    const eventually = (wanted: string): Promise<unknown> =>
      until(async () => (await answers()).every(answer => answer === wanted));

    await eventually('allowed allowed allowed 200');
    const [first] = replicas;
    if (!first) throw new Error('no replica has started');
    const restore = await backUp(first.database);

    await created('/v1/policies', { name: 'Not model-1', model: 'model-1', action: 'block' });
    await created('/v1/budgets', {
      ...{
        name: 'Model 2',
        scope: 'model',
        model: 'model-2',
        amount_usd: 0.01,
        period: 'monthly',
        enforcement: 'block',
      },
    });
    expect(await call('POST', `/v1/users/${ben.id}/offboard`)).toMatchObject({ status: 200 });
    expect(await call('DELETE', `/v1/tokens/${tokenId}`)).toMatchObject({ status: 204 });
    await eventually('refused refused refused 401');

    await restore();
    await eventually('allowed allowed allowed 200');
  });
});
