import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { histories } from './commands.js';
import { History } from './history.js';
import { Model } from './model.js';
import type { Will } from './receiver.js';
import { HISTORIES, SEED } from './settings.js';
import type { Command } from './step.js';
import { Tally } from './tally.js';
import { wills } from './webhook-commands.js';
import { World } from './world.js';

const TIME_LIMIT_MS = 30 * 60_000;

/** Number of replicas of each world. All run in this process, because each waits for its database most of the time. */
const WORLDS = [1, 2, 1, 2] as const;

/** A situation counts as untested if a smaller share of the histories contains it. */
const RARE_SHARE = 0.005;

const tally = new Tally();
let worlds: World[] = [];

beforeAll(async () => {
  worlds = await Promise.all(WORLDS.map(replicas => World.start(replicas)));
});

afterAll(async () => {
  for (const world of worlds) await world.close();
});

/** One history with its own webhooks. The first webhook exists from the beginning. */
async function live(world: World, first: readonly Will[], commands: Iterable<Command>): Promise<void> {
  const model = new Model(world.now);
  const history = new History(world, model, tally);
  try {
    await history.register(null, true, first);
    await fc.asyncModelRun(() => ({ model, real: history }), commands);
    await history.finish();
  } catch (error) {
    await world.clear(model.webhooks.map(({ id }) => id));
    throw error;
  }
}

it(
  'deliveries match the model for random sequences of commands',
  async () => {
    const property = (world: World) =>
      fc.asyncProperty(wills, histories, (first, commands) => live(world, first, commands));
    const numRuns = Math.ceil(HISTORIES / worlds.length);
    const runs = worlds.map((world, at) => fc.assert(property(world), { numRuns, seed: SEED + at }));
    const failed = (await Promise.allSettled(runs)).find(run => run.status === 'rejected');
    if (failed) throw failed.reason;
    expect(tally.rarerThan(HISTORIES * RARE_SHARE)).toEqual([]);
  },
  TIME_LIMIT_MS,
);
