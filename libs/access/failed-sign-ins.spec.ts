import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-postgres.js';
import { OrganizationService } from './organizations/organization.service.js';
import { operatorActor } from './principals/operator-actor.js';
import { startAccessReplica } from './testing/access-replica.js';
import { SuppliedTokens } from './tokens/supplied-tokens.js';
import { newToken } from './tokens/token-format.js';
import { TokenService } from './tokens/token.service.js';

type Replica = Awaited<ReturnType<typeof startAccessReplica>>;

const LIMIT = 5;

describe('failed sign-ins', () => {
  const clock = new ManualClock();
  let database: TestDatabase;
  let one: Replica;
  let two: Replica;
  let orgId: string;
  let nextAddress = 1;

  const start = () =>
    startAccessReplica(database, {
      clock,
      access: { failedSignInsPerMinute: LIMIT, trustedProxies: ['127.0.0.1'] },
    });
  const freshAddress = (): string => `203.0.113.${nextAddress++}`;
  const issue = async (): Promise<string> =>
    (await one.app.get(TokenService).issue(orgId, { name: 'agent', role: 'admin' })).token;
  const ask = async (replica: Replica, address: string, token: string): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
    const response = await fetch(`${replica.url}/v1/organization`, { headers });
    await response.body?.cancel();
    return response;
  };
  const statusesOf = async (address: string, tokens: readonly string[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const token of tokens) statuses.push((await ask(one, address, token)).status);
    return statuses;
  };
  const strangers = (count: number): string[] => Array.from({ length: count }, () => newToken());
  const failUntilLimited = async (address: string): Promise<void> => {
    expect(await statusesOf(address, strangers(LIMIT + 1))).toEqual([...Array<number>(LIMIT).fill(401), 429]);
  };
  /** Number of database queries for tokens while the work runs. */
  const lookUpsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const queries = jest.spyOn(one.database, 'global');
    await work();
    const count = queries.mock.calls.filter(([sql]) => sql.includes('access_token_of')).length;
    queries.mockRestore();
    return count;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    one = await start();
    two = await start();
    orgId = (await one.app.get(OrganizationService).create('First')).id;
  });
  afterAll(async () => {
    await one.close();
    await two.close();
    await database.drop();
  });

  it('are refused with 429 and the time to wait if too many came from one address', async () => {
    const address = freshAddress();
    await failUntilLimited(address);
    const refused = await ask(one, address, newToken());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '12']);
    expect((await ask(one, freshAddress(), newToken())).status).toBe(401);
    clock.advance(12_000);
    expect(await statusesOf(address, strangers(2))).toEqual([401, 429]);
  });

  it('count for the /64 network of an IPv6 address', async () => {
    await failUntilLimited('2001:db8:1:2::1');
    expect((await ask(one, '2001:db8:1:2:ffff::9', newToken())).status).toBe(429);
    expect((await ask(one, '2001:db8:1:3::1', newToken())).status).toBe(401);
  });

  it('do not affect a credential that was accepted before, from any address', async () => {
    const address = freshAddress();
    const good = await issue();
    expect((await ask(one, freshAddress(), good)).status).toBe(200);
    await failUntilLimited(address);
    expect(await statusesOf(address, [good, newToken(), good])).toEqual([200, 429, 200]);
    // A revocation removes the cached rights of the token. The cache still knows that the token was valid once.
    const tokens = one.app.get(TokenService);
    const { record } = await tokens.issue(orgId, { name: 'gone', role: 'agent' });

    await tokens.revoke(operatorActor(orgId), record.id);
    expect((await ask(one, address, good)).status).toBe(200);
  });

  it('do not affect the first use of a credential if one wrong token is sent repeatedly', async () => {
    const address = freshAddress();
    const wrong = newToken();
    await statusesOf(address, Array<string>(50).fill(wrong));
    expect((await ask(one, address, wrong)).status).toBe(429);
    expect((await ask(one, address, await issue())).status).toBe(200);
  });

  it('cost at most as many queries as the limit, and a repeated one costs one query', async () => {
    expect(await lookUpsOf(() => statusesOf(freshAddress(), strangers(50)))).toBe(LIMIT);
    expect(await lookUpsOf(() => statusesOf(freshAddress(), Array<string>(50).fill(newToken())))).toBe(1);
  });

  it('do not include requests without a credential', async () => {
    const address = freshAddress();
    const headers = { 'x-forwarded-for': address };
    for (let n = 0; n < 3 * LIMIT; n++) {
      expect((await fetch(`${one.url}/v1/organization`, { headers })).status).toBe(401);
    }
    expect((await ask(one, address, newToken())).status).toBe(401);
  });

  it('do not count any more when the token is created: at once on this replica, within a second on others', async () => {
    const options = { name: 'operator', role: 'admin' } as const;
    const other = (await one.app.get(OrganizationService).create('Second')).id;
    for (const secret of [`${newToken()}x`.replace('gov_', 'own_'), newToken()]) {
      const address = freshAddress();
      expect([(await ask(one, address, secret)).status, (await ask(two, address, secret)).status]).toEqual([401, 401]);
      await one.app.get(SuppliedTokens).ensure(other, secret, options);
      expect((await ask(one, address, secret)).status).toBe(200);
      clock.advance(1_000);
      expect((await ask(two, address, secret)).status).toBe(200);
    }
  });

  it('do not include valid credentials, even if more than the limit are used for the first time at once', async () => {
    const address = freshAddress();
    const good: string[] = [];
    for (let n = 0; n < 3 * LIMIT; n++) good.push(await issue());
    const answers = await Promise.all(good.map(token => ask(one, address, token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const waits = answers.filter(({ status }) => status === 429).map(answer => answer.headers.get('retry-after'));
    expect(new Set(waits)).toEqual(new Set(['12']));
    // No sign-in with a valid token counts toward the limit of the address.
    expect(await statusesOf(address, good)).toEqual(good.map(() => 200));
    await failUntilLimited(address);
  });

  it('do not block a token that is created meanwhile, on any replica', async () => {
    const address = freshAddress();
    expect(await statusesOf(address, strangers(LIMIT - 1))).not.toContain(429);
    const made = await issue();
    expect([(await ask(one, address, made)).status, (await ask(two, address, made)).status]).toEqual([200, 200]);
  });
});
