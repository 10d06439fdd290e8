import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import type { Outcome, Task } from '#outbox';
import type { ChatNotice, ChatOutcome } from '../chat-notifier.port.js';
import type { NoticeEnd, OwedNotice } from './notice-rows.js';
import { NoticeSender } from './notice-sender.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Delays after failed attempts. After the last one, each further delay equals it. */
const RETRY_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];
/** First delay after a refusal whose cause only an operator can correct. */
const REFUSED_MS = MINUTE_MS;
/** Age of its subject at which the service gives up on a notification. */
const MAX_AGE_MS = 24 * 60 * MINUTE_MS;

/** Makes attempts to send notifications, and schedules the next attempt. */
@Injectable()
export class NoticeDelivery {
  constructor(
    private readonly sender: NoticeSender,
    private readonly clock: Clock,
  ) {}

  /** The current time. */
  now(): Date {
    return this.clock.now();
  }

  async attempt(task: Task, notice: OwedNotice, content: ChatNotice): Promise<Outcome<NoticeEnd>> {
    const isDoubtful = task.interruptions > 0 || task.payload['doubt'] === true;
    const outcome = await this.sender.send(notice, content, isDoubtful);
    if (outcome.kind === 'sent') {
      const result: NoticeEnd = { notice, stage: 'sent', isShown: true, ref: outcome.ref, problem: null };
      return { againAfterMs: null, answered: true, result };
    }
    const { message: problem } = outcome;
    const isOver = this.clock.now().getTime() - notice.createdMs > MAX_AGE_MS;
    const kept = notice.isSent ? 'sent' : isOver ? 'failed' : 'pending';
    const doubt = isDoubtful || outcome.kind === 'doubt';
    return {
      againAfterMs: isOver ? null : delayOf(outcome, task.attempt),
      answered: outcome.kind !== 'doubt',
      payload: { ...task.payload, ...(doubt && { doubt }) },
      result: { notice, stage: kept, isShown: false, ref: notice.ref, problem },
    };
  }
}

function delayOf(outcome: Exclude<ChatOutcome, { kind: 'sent' }>, attempt: number): number {
  const delay = RETRY_MS[Math.min(attempt, RETRY_MS.length) - 1] ?? MINUTE_MS;
  if (outcome.kind === 'refused') return Math.max(delay, REFUSED_MS);
  return Math.max(delay, outcome.kind === 'retry' ? (outcome.afterMs ?? 0) : 0);
}
