import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { JobHandler, OutboxWorker, TaskQueue, type Outcome, type Settled, type Task } from '#outbox';
import { extraTask } from '../delivery-task.js';
import { DELIVERY_ATTEMPTS_MAX } from './delivery-retry.js';
import { RECOVERY_QUEUE, type RecoverySubject } from '../recovery-task.js';

/** Maximum number of deliveries per step. */
const STEP = 500;

/** The failed deliveries that one step retries. */
interface Step {
  subject: RecoverySubject;
  deliveryIds: string[];
}

// Ids of deliveries grow with time, so each step continues after the last id of the previous step.
const NEXT = `
select d.id from ${SCHEMA}.webhook_deliveries d
where d.org_id = $1 and d.webhook_id = $2 and d.status = 'failed' and d.created_at >= $3 and d.created_at <= $4
  and ($5::uuid is null or d.id > $5::uuid) and d.attempts < ${DELIVERY_ATTEMPTS_MAX}
order by d.id limit ${STEP}`;

// Only deliveries that are still failed get the status pending, because a manual retry may have started meanwhile.
const REOPEN = `
update ${SCHEMA}.webhook_deliveries d set status = 'pending', ended_at = null
where d.org_id = $1 and d.webhook_id = $2 and d.status = 'failed' and d.id = any (array(
  select f.id from ${SCHEMA}.webhook_deliveries f
  where f.org_id = $1 and f.webhook_id = $2 and f.id = any($3::uuid[]) and f.status = 'failed' order by f.id for update))
returning d.id, d.event_id, d.attempts`;

const EXISTING = `select id from ${SCHEMA}.webhooks where org_id = $1 and id = any($2::uuid[])`;

/**
 * Runs recoveries in steps. A transaction stores each step together with the progress. After a crash, the recovery
 * continues there and retries no delivery twice.
 */
@Injectable()
export class RecoveryJob extends JobHandler<Step, Step> implements OnModuleInit {
  readonly name = RECOVERY_QUEUE;
  override readonly slots = 4;
  override readonly slotsPerKey = 1;

  constructor(
    private readonly worker: OutboxWorker,
    private readonly queue: TaskQueue,
  ) {
    super();
  }

  onModuleInit(): void {
    this.worker.addJob(this);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Step>> {
    const ids = plainArray(tasks, task => task.key);
    const existing = await sqlOf(em).query<{ id: string }>(EXISTING, [orgId, ids]);
    const steps = new Map<string, Step>();
    for (const task of tasks) {
      if (existing.some(({ id }) => id === task.key)) steps.set(task.id, await nextStep(em, orgId, task));
    }
    return steps;
  }

  /** Only continues with the next step. The job of the delivery queue makes the attempts. */
  async perform(_task: Task, step: Step): Promise<Outcome<Step>> {
    const { subject, deliveryIds } = step;
    const isLast = deliveryIds.length < STEP;
    const after = deliveryIds.at(-1) ?? subject.after;
    return { againAfterMs: isLast ? null : 0, payload: { ...subject, after }, answered: true, result: step };
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<Step>[]): Promise<void> {
    for (const { task, result } of settled) {
      if (result.deliveryIds.length === 0) continue;
      const ids = plainArray(result.deliveryIds, id => id);
      const rows = await sqlOf(em).query<{ id: string; event_id: string; attempts: number }>(REOPEN, [
        orgId,
        task.key,
        ids,
      ]);
      const again = rows.map(({ id, event_id: eventId, attempts }) =>
        extraTask({ id, webhookId: task.key, eventId, attempts }, 'recovery'),
      );
      await this.queue.add(em, orgId, again);
    }
  }
}

async function nextStep(em: EntityManager, orgId: string, task: Task): Promise<Step> {
  // Only RecoveryService and `perform` write this payload.
  const subject = task.payload as RecoverySubject;
  const { since, until, after } = subject;
  const rows = await sqlOf(em).query<{ id: string }>(NEXT, [orgId, task.key, since, until, after]);
  return { subject, deliveryIds: rows.map(({ id }) => id) };
}
