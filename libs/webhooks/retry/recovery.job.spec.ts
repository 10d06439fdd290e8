import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import type { OutboxWorker, Task, TaskQueue } from '#outbox';
import { RecoveryJob } from './recovery.job.js';
import type { RecoverySubject } from '../recovery-task.js';

const SUBJECT: RecoverySubject = { since: '2026-11-20T09:00:00Z', until: '2026-11-20T13:00:00Z', after: newId() };

describe('a step of a recovery', () => {
  // The test calls the steps directly, without a worker and a queue.
  const job = new RecoveryJob({} as OutboxWorker, {} as TaskQueue);
  const step = (count: number) => ({ subject: SUBJECT, deliveryIds: Array.from({ length: count }, () => newId()) });

  it('continues at once after the last of 500 deliveries, so that a delivery that fails again is not retried twice', async () => {
    const full = step(500);
    expect(await job.perform({} as Task, full)).toEqual({
      againAfterMs: 0,
      payload: { ...SUBJECT, after: full.deliveryIds[499] },
      answered: true,
      result: full,
    });
  });

  it.each([0, 1, 499])('is the last if it has %d', async count => {
    expect(await job.perform({} as Task, step(count))).toMatchObject({ againAfterMs: null });
  });
});
