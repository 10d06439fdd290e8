import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { JobHandler, OutboxWorker, TaskQueue, type Outcome, type Settled, type Task } from '#outbox';
import type { ChatNotice } from '../chat-notifier.port.js';
import { NOTICE_QUEUE, noticeTask } from '../notice-task.js';
import { NoticeContent } from './notice-content.js';
import { NoticeRows, type NoticeEnd, type OwedNotice } from './notice-rows.js';
import { NoticeDelivery } from './notice-delivery.js';
import { NOTICE_CALL_MS } from './notice-sender.js';

/** Time that an attempt needs in addition to the calls of the platform. */
const MARGIN_MS = 1_000;

/** A notification, with the content that its message should show now. */
interface Job {
  readonly notice: OwedNotice;
  readonly content: ChatNotice;
}

/**
 * Posts notifications and updates their messages. After a crash or a lost answer, it first searches for the message, if
 * the platform allows it. Otherwise the notification may be posted twice.
 */
@Injectable()
export class NoticeJob extends JobHandler<Job, NoticeEnd> implements OnModuleInit {
  readonly name = NOTICE_QUEUE;
  override readonly slots = 8;
  // Chat platforms accept about one message per second and channel.
  override readonly slotsPerKey = 1;
  override readonly leaseMs = 40_000;

  constructor(
    private readonly worker: OutboxWorker,
    private readonly tasks: TaskQueue,
    private readonly rows: NoticeRows,
    private readonly content: NoticeContent,
    private readonly delivery: NoticeDelivery,
  ) {
    super();
  }

  override get performMs(): number {
    return 3 * NOTICE_CALL_MS + MARGIN_MS;
  }

  onModuleInit(): void {
    this.worker.addJob(this);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Job>> {
    const ids = tasks.map(({ id }) => id);
    const notices = await this.rows.owed(em, orgId, ids);
    const contents = await this.content.of(em, orgId, notices);
    return new Map(
      notices.flatMap(notice => {
        const content = contents.get(notice.subjectId);
        return content ? [[notice.id, { notice, content }] as const] : [];
      }),
    );
  }

  perform(task: Task, { notice, content }: Job): Promise<Outcome<NoticeEnd>> {
    return this.delivery.attempt(task, notice, content);
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<NoticeEnd>[]): Promise<void> {
    for (const { result } of settled) {
      const isBehind = await this.rows.settle(em, orgId, result, this.delivery.now());
      if (isBehind && result.isShown) await this.tasks.schedule(em, orgId, noticeTask(result.notice), 0);
    }
  }
}
