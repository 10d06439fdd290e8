import fc from 'fast-check';
import type { Model } from './model.js';
import type { Reply } from './receiver.js';
import { step } from './step.js';

/** Time advances in steps of half a second. Nothing is ever due within a shorter time. */
const TICK_MS = 500;
const HOUR_MS = 3_600_000;

function ticksUntilDue({ nextDue, now }: Model): number {
  return nextDue === undefined ? 0 : Math.ceil((nextDue - now) / TICK_MS);
}

export const elapse = fc
  .constantFrom(TICK_MS, 1_000, 4_500, 5_000, 18_000, 30_000, 300_000, HOUR_MS)
  .map(milliseconds =>
    step(
      `${milliseconds} ms pass`,
      () => true,
      history => history.advance(milliseconds),
    ),
  );

/**
 * Advances the time to just before the next attempt, and then to the time of the attempt. Repeats this a given number
 * of times.
 */
export const untilDue = fc.integer({ min: 1, max: 6 }).map(times =>
  step(
    `${times}x until the next attempt`,
    model => model.nextDue !== undefined,
    async (history, model) => {
      for (let n = 0; n < times && model.nextDue !== undefined; n++) {
        const ticks = ticksUntilDue(model);
        if (ticks > 1 && n === 0) await history.advance((ticks - 1) * TICK_MS);
        await history.advance(n === 0 ? TICK_MS : ticks * TICK_MS);
      }
    },
  ),
);

/**
 * At the time of the next attempt, a worker claims this attempt, perhaps with others, and dies before it has sent
 * anything.
 */
export const dyingWorker = fc.integer({ min: 1, max: 3 }).map(want =>
  step(
    `a worker dies with ${want}`,
    model => model.nextDue !== undefined,
    (history, model) => history.advanceWithDyingWorker(ticksUntilDue(model) * TICK_MS, want),
  ),
);

/** The endpoints answer the held requests. */
export const release = fc.constantFrom<Reply>(200, 500, 'close').map(reply =>
  step(
    `release with ${reply}`,
    () => true,
    history => history.release(reply),
  ),
);
