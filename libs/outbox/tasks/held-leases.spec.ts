import { describe, expect, it } from '@jest/globals';
import { leasedTask } from '../testing/replica.js';
import { ScriptedJob } from '../testing/scripted.job.js';
import { HeldLeases } from './held-leases.js';

const LEASE_MS = 18_000;
const PERFORM_MS = 11_000;

class TenSecondJob extends ScriptedJob {
  override get performMs(): number {
    return PERFORM_MS;
  }
}

describe('a task whose lease has been running', () => {
  const task = leasedTask();

  /**
   * Returns whether the task may start at this time after its claim, and the number of lease renewals. Each renewal
   * takes the given time.
   */
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

  it('starts without a renewal while the lease outlasts the longest attempt', async () => {
    expect(await isGood(LEASE_MS - PERFORM_MS - 1, 'fails')).toEqual({ good: true, renewals: 0 });
  });

  it.each([LEASE_MS - PERFORM_MS, LEASE_MS / 2 - 1, LEASE_MS + 1])(
    'for %d ms starts only if the lease can be renewed',
    async elapsed => {
      expect(await isGood(elapsed, 'held')).toEqual({ good: true, renewals: 1 });
      expect(await isGood(elapsed, 'lost')).toEqual({ good: false, renewals: 1 });
      expect(await isGood(elapsed, 'fails')).toEqual({ good: false, renewals: 1 });
    },
  );

  it('does not start when the renewal took so long that an attempt may outlast the new lease', async () => {
    expect(await isGood(9_000, 'held', LEASE_MS - PERFORM_MS - 1)).toMatchObject({ good: true });
    expect(await isGood(9_000, 'held', LEASE_MS - PERFORM_MS)).toMatchObject({ good: false });
  });
});
