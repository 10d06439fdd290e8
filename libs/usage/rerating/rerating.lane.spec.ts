import { describe, expect, it } from '@jest/globals';
import type { Task } from '#outbox';
import { ReratingLane } from './rerating.lane.js';

/** Within this time every process has heard of a changed price. */
const HEARD_MS = 1_000;

describe('a re-rating', () => {
  it('looks at no event before every process must have heard of the prices', async () => {
    const nothing = undefined as never;
    const lane = new ReratingLane(nothing, nothing, nothing, nothing);
    const subject = { from: '', until: null, provider: null, model: null, isBegun: false, after: null };
    const outcome = await lane.perform({ subject } as unknown as Task, { events: [], next: null });
    expect(outcome).toMatchObject({ result: null, subject: { isBegun: true } });
    expect(outcome.againAfterMs).toBeGreaterThan(HEARD_MS);
  });
});
