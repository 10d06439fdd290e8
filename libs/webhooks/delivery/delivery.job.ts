import type { EntityManager } from '@mikro-orm/postgresql';
import { metrics } from '@opentelemetry/api';
import { METER, SecretUnreadableError, type Clock } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf } from '#database';
import type { EgressClient } from '#egress';
import {
  JobHandler,
  readEvents,
  wireEventId,
  type Outcome,
  type Settled,
  type StoredEvent,
  type Task,
  type TaskName,
} from '#outbox';
import { WEBHOOK_QUEUE } from '../delivery-task.js';
import { lockWebhook } from '../registrations/webhook-lock.js';
import type { WebhooksOptions } from '../webhooks.options.js';
import { answeredAttempt, eventIdOf, interruptedAttempt, type Attempt } from './attempt.js';
import { AttemptLog, type EndedDelivery } from './attempt-log.js';
import { deliveryHeaders, outcomeOf, type SigningSecrets } from '../decide/index.js';
import type { SigningKeys } from './signing-keys.js';

/** What an attempt needs. */
interface Job {
  url: string;
  secrets: SigningSecrets | SecretUnreadableError;
  previousUntil: Date | null;
  event: StoredEvent;
}

interface WebhookRow {
  id: string;
  url: string;
  secret_version: number;
  previous_until_ms: number | null;
}

// Times are read as milliseconds, because not every driver returns times as dates.
const WEBHOOKS = prepared(
  'webhooks_to_send',
  `
select id, url, secret_version, (extract(epoch from previous_secret_until) * 1000)::float8 as previous_until_ms
from ${SCHEMA}.webhooks where org_id = $1 and id = any ($2::uuid[])`,
);

/** Number of interruptions after which an attempt counts as failed. */
const INTERRUPTIONS_MAX = 3;
/** Time limit from name resolution to the end of the answer (interface specification, section 8). */
const TIMEOUT_MS = 10_000;
/** Additional time for a busy process. */
const MARGIN_MS = 1_000;
const BODY_MAX_BYTES = 16_384;

/** Outcomes of attempts, as values of the metric. */
const OUTCOMES = { delivered: 'delivered', pending: 'retry', failed: 'failed' } as const;

/** Sends events to webhooks: one task per delivery, one POST per attempt. */
export class DeliveryJob extends JobHandler<Job, EndedDelivery> {
  readonly name = WEBHOOK_QUEUE;
  override readonly slots: number;
  override readonly slotsPerKey: number;
  override readonly leaseMs = 18_000;
  private readonly log = new AttemptLog();
  private readonly attempts = metrics.getMeter(METER).createCounter('governance.webhook.attempts', {
    description:
      'Attempts to deliver an event to a webhook: delivered, failed with a retry to come, or failed for good',
    unit: '{attempt}',
  });

  constructor(
    private readonly egress: EgressClient,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly options: WebhooksOptions,
  ) {
    super();
    // Every outcome is reported as 0 from the start, because a rate can only be computed from an initial value.
    for (const outcome of Object.values(OUTCOMES)) this.attempts.add(0, { 'governance.outcome': outcome });
    this.slots = options.concurrency ?? 256;
    this.slotsPerKey = options.concurrencyPerWebhook ?? 16;
  }

  override get performMs(): number {
    return TIMEOUT_MS + MARGIN_MS;
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Job>> {
    const ids = plainArray([...new Set(tasks.map(task => task.key))], id => id);
    const webhooks = await this.keys.of(em, orgId, () => sqlOf(em).query<WebhookRow>(WEBHOOKS, [orgId, ids]));
    const events = await readEvents(em, orgId, tasks.map(eventIdOf));
    const interrupted = tasks.filter(task => task.interruptions > 0);
    await this.log.addInterrupted(em, orgId, interrupted);
    const jobs = new Map<string, Job>();
    for (const task of tasks) {
      const webhook = webhooks.get(task.key);
      const event = events.get(eventIdOf(task));
      if (!webhook || !event) continue;
      const { state, secrets } = webhook;
      jobs.set(task.id, { url: state.url, secrets, previousUntil: previousUntilOf(state), event });
    }
    // A task without a job belongs to a deleted webhook. An event that was committed during the deletion may have
    // created its delivery, which the deletion did not see.
    const obsolete = tasks.filter(task => !jobs.has(task.id));
    await this.log.end(em, orgId, obsolete, 'cancelled', this.clock.now());
    return jobs;
  }

  async perform(task: Task, job: Job): Promise<Outcome<EndedDelivery>> {
    if (task.interruptions >= INTERRUPTIONS_MAX) return this.counted(conclude(interruptedAttempt(task), true));
    const { url, secrets, previousUntil, event } = job;
    // An unreadable secret is an internal fault, so it does not use up an attempt of the schedule.
    if (secrets instanceof SecretUnreadableError) throw secrets;
    const timestamp = this.clock.now();
    const headers = deliveryHeaders({
      serviceName: this.serviceName,
      secrets: inForce(secrets, previousUntil, timestamp),
      eventId: wireEventId(event.id, event.type),
      timestamp,
      body: event.body,
      userAgent: `${this.serviceName}-Webhooks/1`,
    });
    const answer = await this.egress.send({
      purpose: 'webhooks',
      url,
      method: 'POST',
      headers,
      body: event.body,
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: BODY_MAX_BYTES,
    });
    const attempt = answeredAttempt(task, timestamp, headers, answer, secrets);
    return this.counted(conclude(attempt, !attempt.timedOut));
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<EndedDelivery>[]): Promise<void> {
    await this.log.settle(
      em,
      orgId,
      settled.map(({ result }) => result),
      this.clock.now(),
    );
  }

  override async onDeadLetter(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<void> {
    await this.log.end(em, orgId, tasks, 'failed', this.clock.now());
  }

  override async onRequeue(em: EntityManager, orgId: string, tasks: readonly TaskName[]): Promise<void> {
    // The lock makes this transaction wait for a concurrent deletion of the webhook, or the deletion for this
    // transaction.
    for (const id of new Set(tasks.map(task => task.key).toSorted())) await lockWebhook(em, id, 'use');
    await this.log.reopen(em, orgId, tasks);
  }

  private counted(outcome: Outcome<EndedDelivery>): Outcome<EndedDelivery> {
    this.attempts.add(1, { 'governance.outcome': OUTCOMES[outcome.result.status] });
    return outcome;
  }

  private get serviceName(): string {
    return this.options.serviceName ?? 'Service';
  }
}

function previousUntilOf({ previous_until_ms: ms }: WebhookRow): Date | null {
  return ms === null ? null : new Date(ms);
}

/** The outcome of an attempt. */
function conclude(attempt: Attempt, answered: boolean): Outcome<EndedDelivery> {
  const end = outcomeOf(attempt);
  if (typeof end === 'string') return { againAfterMs: null, answered, result: { attempt, status: end } };
  return { againAfterMs: end.retryAfterMs, answered, result: { attempt, status: 'pending' } };
}

function inForce({ current, previous }: SigningSecrets, previousUntil: Date | null, now: Date): SigningSecrets {
  return previous !== undefined && previousUntil !== null && previousUntil > now ? { current, previous } : { current };
}
