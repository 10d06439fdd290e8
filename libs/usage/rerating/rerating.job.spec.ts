import { describe, expect, it } from '@jest/globals';
import type { Task } from '#outbox';
import { ReratingJob } from './rerating.job.js';

/** Time within which every process has learned of a changed price. */
const NOTIFIED_WITHIN_MS = 1_000;

describe('a re-rating', () => {
  it('reads no event before every process must have received the prices', async () => {
    const nothing = undefined as never;
    const job = new ReratingJob(nothing, nothing, nothing, nothing);
    const payload = { from: '', until: null, provider: null, model: null, isBegun: false, after: null };
    const outcome = await job.perform({ payload } as unknown as Task, { events: [], next: null });
    expect(outcome).toMatchObject({ result: null, payload: { isBegun: true } });
    expect(outcome.againAfterMs).toBeGreaterThan(NOTIFIED_WITHIN_MS);
  });
});
