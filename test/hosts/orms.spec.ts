import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Governance, type Decision } from 'nest-llm-governance';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { ROOT, run } from '../packaging/packed-host.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import * as drizzleExample from './orms/drizzle.js';
import * as mikroOrmExample from './orms/mikro-orm.js';
import type { Order } from './orms/order.js';
import * as pgExample from './orms/pg.js';
import { PrismaClient } from './orms/prisma-client/client.ts';
import * as prismaExample from './orms/prisma.js';
import * as typeormExample from './orms/typeorm.js';

const TYPE_FAULTS = join(ROOT, 'test/support/type-faults.mjs');

/** The shop's own role. It owns the shop's tables, and may use the tables of governance under row-level security. */
const SHOP = `shop_${randomUUID().slice(0, 8)}`;
/** One dollar per million tokens: 30 cents for 100,000 input and 200,000 output tokens. */
const MODEL = { provider: 'acme', model: 'acme-1' };
const THIRTY_CENTS = { estimated_input_tokens: 100_000, max_output_tokens: 200_000 };

let app: TestApp;
let shopUrl: string;
let nextOrder = 1;

beforeAll(async () => {
  app = await startTestApp();
  const { database } = app;
  await database.asOwner(`create role ${SHOP} login password 'shop'`);
  await database.asOwner(`grant governance_app to ${SHOP}`);
  await database.asOwner('create table orders (id integer primary key)');
  await database.asOwner(`grant all on orders to ${SHOP}`);
  const url = new URL(database.url);
  [url.username, url.password] = [SHOP, 'shop'];
  shopUrl = url.href;
});

afterAll(async () => {
  await app?.database.asOwner(`drop owned by ${SHOP}`);
  await app?.close();
});

/** A host that stores its orders with one ORM. */
interface Shop {
  book(order: Order): Promise<Decision>;
  close(): Promise<unknown>;
}

const SHOPS: [string, (governance: Governance, url: string) => Promise<Shop>][] = [
  [
    'another version of MikroORM',
    async (governance, clientUrl) => {
      const orm = await MikroORM.init({ clientUrl, entities: [], discovery: { warnWhenNoEntities: false } });
      return { book: order => mikroOrmExample.book(orm.em, governance, order), close: () => orm.close() };
    },
  ],
  [
    'TypeORM',
    async (governance, url) => {
      const source = await new DataSource({ type: 'postgres', url }).initialize();
      return { book: order => typeormExample.book(source, governance, order), close: () => source.destroy() };
    },
  ],
  [
    'Prisma',
    async (governance, connectionString) => {
      const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
      return { book: order => prismaExample.book(prisma, governance, order), close: () => prisma.$disconnect() };
    },
  ],
  [
    'Drizzle',
    async (governance, connectionString) => {
      const pool = new Pool({ connectionString });
      const db = drizzle({ client: pool });
      return { book: order => drizzleExample.book(db, governance, order), close: () => pool.end() };
    },
  ],
  [
    'pg',
    async (governance, connectionString) => {
      const pool = new Pool({ connectionString });
      return { book: order => pgExample.book(pool, governance, order), close: () => pool.end() };
    },
  ],
];

/**
 * An organization with a user, a price, a blocking budget, a policy that alerts, one that requires an approval for
 * `painter`, and a webhook.
 */
async function organization(): Promise<{ orgId: string; call: Call; userId: string; budget: string }> {
  const { orgId, call } = await app.addOrganization();
  const made = async (path: string, body: object): Promise<string> => (await call('POST', path, body)).body.id;
  const userId = await made('/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada' });
  await call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 });
  const terms = { scope: 'organization', amount_usd: 10, period: 'monthly', enforcement: 'block' };
  const budget = await made('/v1/budgets', { name: 'All', ...terms });
  await made('/v1/policies', { name: 'Watch', action: 'alert' });
  await made('/v1/policies', { name: 'Ask', action: 'require_approval', model: 'painter' });
  await made('/v1/webhooks', { url: 'https://example.com/hook', events: ['policy_violation'] });
  return { orgId, call, userId, budget };
}

/** Counts all rows that a stored order causes in governance. */
async function traces({ orgId, call, budget }: { orgId: string; call: Call; budget: string }) {
  const { body } = await call('GET', `/v1/budgets/${budget}`);
  const count = async (table: string): Promise<number> => {
    const [row] = await app.database.asOwner<{ n: number }>(
      `select count(*)::int as n from governance.${table} where org_id = $1`,
      [orgId],
    );
    return row?.n ?? 0;
  };
  return {
    money: { spent: body.spent_usd, reserved: body.reserved_usd },
    decisions: await count('decisions'),
    incidents: await count('incidents'),
    events: await count('events'),
    deliveries: await count('webhook_deliveries'),
    approvals: await count('approvals'),
    usage: await count('usage_events'),
  };
}

describe.each(SHOPS)('a transaction of %s', (_, open) => {
  let shop: Shop;

  beforeAll(async () => {
    shop = await open(app.app.get(Governance), shopUrl);
  });

  afterAll(() => shop?.close());

  const orderOf = (orgId: string, userId: string, id = nextOrder++, model = MODEL.model): Order => ({
    ...{ id, orgId },
    request: { ...MODEL, model, ...THIRTY_CENTS, user_id: userId, idempotency_key: `order ${id}` },
    usage: {
      ...{ id: randomUUID(), user_id: userId, provider: MODEL.provider, model: MODEL.model },
      ...{ occurred_at: app.clock.now().toISOString(), input_tokens: 100_000, output_tokens: 50_000 },
    },
  });

  it('commits the decision, its incident, event and reservation, and the usage', async () => {
    const org = await organization();
    const order = orderOf(org.orgId, org.userId);
    const decision = await shop.book(order);
    expect(decision).toMatchObject({ action: 'alert', allowed: true, reservation: { amount_usd: 0.3 } });
    expect(await traces(org)).toEqual({
      ...{ decisions: 1, incidents: 1, events: 1, deliveries: 1, approvals: 0, usage: 1 },
      money: { spent: 0.15, reserved: 0.3 },
    });
    expect((await org.call('GET', `/v1/decisions/${decision.id}`)).status).toBe(200);
    const person = await org.call('GET', `/v1/users/${org.userId}`);
    expect(person.body.last_active_at).toBe(app.clock.now().toISOString());
  });

  it('rolls all of it back when the host fails afterwards', async () => {
    const org = await organization();
    const order = orderOf(org.orgId, org.userId);
    await shop.book(order);
    const before = await traces(org);
    const again = { ...orderOf(org.orgId, org.userId), id: order.id };
    await expect(shop.book(again)).rejects.toThrow(/orders|23505/);
    expect(await traces(org)).toEqual(before);
  });

  it('settles the reservation of a decision, and answers the same decision again for the same key', async () => {
    const org = await organization();
    const first = orderOf(org.orgId, org.userId);
    const decision = await shop.book(first);
    const second = { ...orderOf(org.orgId, org.userId), request: first.request };
    const settled = { ...second, usage: { ...second.usage, decision_id: decision.id } };
    expect(await shop.book(settled)).toEqual(decision);
    expect(await traces(org)).toMatchObject({ decisions: 1, money: { spent: 0.3, reserved: 0 } });
  });

  it('commits an approval request with its audit entry, and expires the previous one', async () => {
    const org = await organization();
    const first = await shop.book(orderOf(org.orgId, org.userId, undefined, 'painter'));
    expect(first).toMatchObject({ action: 'require_approval', approval_id: expect.any(String) });
    const over = 'update governance.approvals set expires_at = $2 where org_id = $1';
    await app.database.asOwner(over, [org.orgId, app.clock.now().toISOString()]);
    const next = await shop.book(orderOf(org.orgId, org.userId, undefined, 'painter'));
    expect(next.approval_id).not.toBe(first.approval_id);
    const audit = await org.call('GET', '/v1/audit-log');
    const actions = audit.body.items.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 3)).toEqual(['approval.requested', 'approval.expired', 'approval.requested']);
  });
});

describe('the examples', () => {
  it('compile with the types of each package, and with a MikroORM version other than ours', async () => {
    // Checks only these examples. The sources of the package, which they import, are checked elsewhere.
    const args = [TYPE_FAULTS, '.', 'orms', 'orms.spec.ts'];
    const { status, output } = await run(process.execPath, args, import.meta.dirname);
    expect({ status, output }).toEqual({ status: 0, output: '' });
    const [ours, theirs] = [ROOT, import.meta.dirname].map(folder => {
      const file = join(folder, 'node_modules/@mikro-orm/core/package.json');
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    });
    expect(theirs).toBe('7.0.2');
    expect(ours).not.toBe(theirs);
  });
});

describe('an invalid transaction', () => {
  it('is refused if the EntityManager has no open transaction, or if both ways to pass it are used', async () => {
    const governance = app.app.get(Governance);
    const em = { getTransactionContext: () => undefined };
    await expect(governance.recordUsage(app.orgId, [], { em })).rejects.toThrow('em: is in no transaction');
    const tx = { query: () => Promise.resolve([]) };
    await expect(governance.recordUsage(app.orgId, [], { em, tx })).rejects.toThrow('em, tx: give one of the two');
  });

  it('is refused if its rows have an unexpected format', async () => {
    const tx = { query: () => Promise.resolve([[], 0] as object[] as never[]) };
    const recorded = app.app.get(Governance).recordUsage(app.orgId, [], { tx });
    await expect(recorded).rejects.toThrow('tx.query: must return the rows');
  });

  it('is refused before anything is written', async () => {
    const org = await organization();
    const pool = new Pool({ connectionString: shopUrl });
    try {
      const tx = {
        query: async (sql: string, values: readonly unknown[] = []) => (await pool.query(sql, [...values])).rows,
      };
      const governance = app.app.get(Governance);
      const request = { ...MODEL, user_id: org.userId };
      await expect(governance.decide(org.orgId, request, { tx })).rejects.toThrow('tx: no transaction is running');
      await expect(governance.recordUsage(org.orgId, [], { tx })).rejects.toThrow('tx: no transaction is running');
    } finally {
      await pool.end();
    }
  });
});
