import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { INestApplication } from '@nestjs/common';
import type { Actor } from '#access';
import { OrgDatabase } from '#database';
import { EventOutbox, OutboxWorker, type EventType, type FiredEvent, type NewEvent } from '#outbox';
import { WebhookService } from '#webhooks';
import { makeAuthority, trustInThisProcess } from '../../support/certificates.js';
import { moveTime, type MovedTime } from '../../support/moved-time.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LEASE_MS } from './model-delivery.js';
import { DEAD, startReceiver, type Receiver } from './receiver.js';
import { TIMEOUT_MS } from './settings.js';

/** How long to wait for more than the expected requests. The comparison afterwards shows the difference. */
const UNEXPECTED_MS = 200;

/** Counts unfinished deliveries: due ones that have not started, and running ones that the receiver does not hold. */
const OPEN = `
select coalesce(sum((due_at <= now
    and not exists (select from governance.task_holds h where h.queue = t.queue and h.key = t.key))::integer), 0)::integer as due,
  coalesce(sum((due_at > now and lease_token is not null and not lease_token = any ($1::uuid[]))::integer), 0)::integer
    as under_way
from governance.tasks t, governance.now() as now`;

/**
 * Simulates a worker that dies between its claim and the POST. It is a single statement, so that no other worker can
 * claim first.
 */
const DYING_WORKER = `
create function moved_time.advance_and_claim(milliseconds integer, want integer) returns setof uuid language plpgsql as $$
declare claimed uuid[];
begin
  update moved_time.clock set moved = moved + milliseconds * interval '1 millisecond';
  claimed := array(select c.id from governance.claim_tasks('webhook', want, want, '{}', ${LEASE_MS}) c where c.id is not null);
  update governance.tasks set lease_token = '${DEAD}' where id = any (claimed);
  return query select unnest(claimed);
end $$`;

/** Replicas of the app on one database, whose time advances only when the test says so, and their endpoints. */
export class World {
  /** The replica that owns the database. */
  readonly #first: TestApp;
  readonly #apps: readonly TestApp[];
  readonly #time: MovedTime;
  #turn = 0;

  private constructor(
    first: TestApp,
    others: readonly TestApp[],
    time: MovedTime,
    readonly receiver: Receiver,
    /** Whether deliveries of a webhook are sent one by one, so that their order is known. */
    readonly isOrdered: boolean,
  ) {
    this.#first = first;
    this.#apps = [first, ...others];
    this.#time = time;
  }

  /** One replica that sends one delivery at a time to each webhook, or two that send in parallel. */
  static async start(replicas: 1 | 2): Promise<World> {
    const authority = await makeAuthority();
    trustInThisProcess(authority.caPem);
    const options = {
      egress: { allow: ['127.0.0.0/8'] },
      ...(replicas === 1 ? { webhooks: { concurrencyPerWebhook: 1 } } : {}),
    };
    const first = await startTestApp(options);
    const { database: testDatabase, orgId, clock: time } = first;
    const others = replicas === 1 ? [] : [await startTestApp({ ...options, testDatabase, orgId, time })];
    const moved = await moveTime(testDatabase, { standsAt: time.now() });
    await testDatabase.asOwner(DYING_WORKER);
    const receiver = await startReceiver(authority, testDatabase, replicas === 2);
    return new World(first, others, moved, receiver, replicas === 1);
  }

  get now(): number {
    return this.#first.clock.now().getTime();
  }

  get actor(): Actor {
    const { orgId } = this.#first;
    return { orgId, kind: 'token', id: 'test', name: 'test', scopes: new Set(), address: null, requestId: null };
  }

  /** The next replica, in round-robin order. */
  get app(): INestApplication {
    this.#turn += 1;
    return (this.#apps[this.#turn % this.#apps.length] ?? this.#first).app;
  }

  asOwner<Row extends object>(sql: string, parameters: unknown[]): Promise<Row[]> {
    return this.#first.database.asOwner<Row>(sql, parameters);
  }

  async fire(types: readonly EventType[]): Promise<FiredEvent[]> {
    const { orgId } = this.#first;
    const { app } = this;
    const fire = (em: EntityManager) => app.get(EventOutbox).fire(em, orgId, types.map(eventOf));
    return app.get(OrgDatabase).transaction(orgId, fire);
  }

  /** Advances both clocks and wakes the workers. */
  async advance(milliseconds: number): Promise<void> {
    this.#first.clock.advance(milliseconds);
    await this.#time.advance(milliseconds);
    for (const worker of this.#workers) worker.wake('webhook');
  }

  /**
   * Advances both clocks. A worker claims at most `want` of the due deliveries and dies. Returns the claimed
   * deliveries.
   */
  async advanceWithDyingWorker(milliseconds: number, want: number): Promise<string[]> {
    this.#first.clock.advance(milliseconds);
    const rows = await this.asOwner<{ id: string }>('select moved_time.advance_and_claim($1, $2) as id', [
      milliseconds,
      want,
    ]);
    for (const worker of this.#workers) worker.wake('webhook');
    return rows.map(({ id }) => id);
  }

  /**
   * Waits until nothing more happens unless the time advances or a held request is answered.
   *
   * @param arrivals number of expected requests; the database is not queried before they have arrived
   */
  async quiet(arrivals = 0): Promise<void> {
    const begun = performance.now();
    const until = begun + TIMEOUT_MS;
    const { receiver } = this;
    const isBusy = () => receiver.waiting < arrivals || this.#running !== receiver.held.length;
    while (isBusy() && performance.now() < begun + UNEXPECTED_MS) await new Promise(done => setTimeout(done, 1));
    for (;;) {
      const { held } = receiver;
      const known = [DEAD, ...held.map(({ token }) => token)];
      const [open] = await this.asOwner<{ due: number; under_way: number }>(OPEN, [known]);
      const running = this.#running;
      if (open?.due === 0 && open.under_way === 0 && running === held.length) return;
      if (performance.now() > until) {
        const state = JSON.stringify({ ...open, running, held: held.length });
        throw new Error(`the workers do not come to rest: ${state}`);
      }
      await new Promise(done => setTimeout(done, 1));
    }
  }

  /** Removes webhooks and waiting deliveries, also after a failed history. */
  async clear(webhookIds: readonly string[]): Promise<void> {
    const service = this.app.get(WebhookService);
    await Promise.allSettled(webhookIds.map(id => service.delete(this.actor, id)));
    await this.asOwner('delete from governance.tasks', []);
    this.receiver.release(500);
    await this.quiet().catch(() => undefined);
    this.receiver.take();
  }

  async close(): Promise<void> {
    this.receiver.release(500);
    for (const app of this.#apps.toReversed()) await app.close();
    await this.receiver.close();
  }

  get #workers(): OutboxWorker[] {
    return this.#apps.map(({ app }) => app.get(OutboxWorker));
  }

  get #running(): number {
    return this.#workers.reduce((sum, worker) => sum + worker.running, 0);
  }
}

function eventOf(type: EventType): NewEvent {
  const alert = { alert_id: randomUUID(), severity: 'high', user_id: 'u-1', policy_id: randomUUID() } as const;
  if (type === 'policy_violation') return { type, data: { ...alert, provider: 'openai', model: 'é\0', details: {} } };
  const device = { device_id: randomUUID(), user_id: 'u-1', name: 'Laptop 17', certificate_serial: '5e' };
  return { type: 'device_revoked', data: { ...device, fingerprint_sha256: 'ab'.repeat(32) } };
}
