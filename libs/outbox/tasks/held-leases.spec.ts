import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { ScriptedJob } from '../testing/scripted.job.js';
import { HeldLeases } from './held-leases.js';
import type { Task } from './task.js';

const LEASE_MS = 18_000;
const PERFORM_MS = 11_000;

class TenSecondJob extends ScriptedJob {
  override get performMs(): number {
    return PERFORM_MS;
  }
}

describe('a task whose lease has been running', () => {
  const task: Task = {
    ...{ orgId: newId(), id: newId(), key: 'k', attempt: 1, interruptions: 0, interruptedAt: null, subject: {} },
    ...{ leaseToken: newId(), dueAt: '2026-11-20 12:00:00+00' },
  };

  /** The task at a time after its claim, and how often it was asked to renew the lease, which takes a time of its own. */
  async function isGood(elapsed: number, renew: 'held' | 'lost' | 'fails', renewalMs = 0) {
    let now = elapsed;
    let renewals = 0;
    const store = {
      async renew() {
        renewals++;
        now += renewalMs;
        if (renew === 'fails') throw new Error('connection terminated');
        return new Set(renew === 'held' ? [task.id] : []);
      },
    };
    const leases = new HeldLeases(new TenSecondJob('queue', { leaseMs: LEASE_MS }), store, () => now);
    return { good: await leases.isGood(task, 0), renewals };
  }

  it('is begun while the longest attempt ends before it does, without asking', async () => {
    expect(await isGood(LEASE_MS - PERFORM_MS - 1, 'fails')).toEqual({ good: true, renewals: 0 });
  });

  it.each([LEASE_MS - PERFORM_MS, LEASE_MS / 2 - 1, LEASE_MS + 1])(
    'for %d ms is begun only where it can be renewed',
    async elapsed => {
      expect(await isGood(elapsed, 'held')).toEqual({ good: true, renewals: 1 });
      expect(await isGood(elapsed, 'lost')).toEqual({ good: false, renewals: 1 });
      expect(await isGood(elapsed, 'fails')).toEqual({ good: false, renewals: 1 });
    },
  );

  it('is not begun where the answer to its renewal took so long that an attempt may outlast it again', async () => {
    expect(await isGood(9_000, 'held', LEASE_MS - PERFORM_MS - 1)).toMatchObject({ good: true });
    expect(await isGood(9_000, 'held', LEASE_MS - PERFORM_MS)).toMatchObject({ good: false });
  });
});
