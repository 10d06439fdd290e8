import { sleep, until, type Chance } from '../../faults/processes/chance.js';
import type { Provider } from '../../support/providers/provider.js';
import type { Database } from '../testbed/database.js';
import type { Receivers } from '../testbed/receivers.js';
import type { Replica } from '../testbed/replicas.js';

/** The targets of faults. */
export interface Targets {
  readonly replicas: readonly Replica[];
  readonly receivers: Receivers;
  readonly provider: Provider;
  readonly chance: Chance;
}

/** A fault: breaks something, and returns after it is repaired. */
export interface Fault {
  readonly name: string;
  /** @returns the affected replica, or `database`, or `outside`, and details in addition to the name */
  run(targets: Targets, victim: Replica): Promise<{ at: string; detail?: string }>;
}

const READY_WITHIN_MS = 60_000;
/** Longer than any lease of a running task. */
const LONG_PAUSE_MS = 20_000;
const SKEW_MAX_MS = 120_000;

/** Faults of the replicas' processes, and the faults that the database supports. They run one at a time. */
export function processFaults(database: Database): readonly Fault[] {
  const ofDatabase = database.faults.map((fault): Fault => ({
    name: fault.name,
    run: async ({ replicas, chance }) => {
      const detail = await fault.run(chance);
      await allReady(replicas);
      return { at: 'database', ...(detail !== undefined && { detail }) };
    },
  }));
  return [...REPLICA_FAULTS, ...ofDatabase];
}

const REPLICA_FAULTS: readonly Fault[] = [
  {
    name: 'replica killed',
    run: async ({ chance }, victim) => {
      await victim.kill();
      await sleep(chance.below(1_500));
      await victim.start();
      return { at: victim.name };
    },
  },
  {
    name: 'clock moved',
    run: async ({ chance }, victim) => {
      const shift = chance.below(2 * SKEW_MAX_MS) - SKEW_MAX_MS;
      await victim.kill();
      await victim.start(shift);
      return { at: victim.name, detail: `${Math.round(shift / 1_000)} s` };
    },
  },
  {
    name: 'replica paused',
    run: async ({ chance }, victim) => {
      const pauseMs = chance.below(3) === 0 ? LONG_PAUSE_MS : 1_000 + chance.below(4_000);
      victim.pause();
      await sleep(pauseMs);
      victim.resume();
      await ready(victim);
      return { at: victim.name, detail: `${Math.round(pauseMs / 1_000)} s` };
    },
  },
];

/** Faults of the network and of external systems. They run in parallel with the faults of processes. */
export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: 'network cut',
    run: ({ chance }, victim) => linkFault(victim, 500 + chance.below(5_000), () => victim.link.cut()),
  },
  {
    name: 'network silent',
    run: ({ chance }, victim) => linkFault(victim, 1_000 + chance.below(8_000), () => victim.link.silence()),
  },
  {
    name: 'network delayed',
    run: ({ chance }, victim) => {
      const delayMs = 5 + chance.below(60);
      return linkFault(victim, 3_000 + chance.below(4_000), () => victim.link.delay(delayMs), `${delayMs} ms`);
    },
  },
  {
    name: 'endpoints slow',
    run: async ({ receivers, chance }) => {
      receivers.slowDown(true);
      await sleep(2_000 + chance.below(5_000));
      receivers.slowDown(false);
      return { at: 'outside' };
    },
  },
  {
    name: 'provider breaks off',
    run: async ({ provider, chance }) => {
      provider.behave({ death: { how: chance.below(2) === 0 ? 'reset' : 'end', at: 5 }, delayMs: 10 }, 'gpt-4o');
      await sleep(2_000 + chance.below(4_000));
      provider.behave({ outputTokens: 40, delayMs: 10 }, 'gpt-4o');
      return { at: 'outside' };
    },
  },
];

async function linkFault(
  victim: Replica,
  milliseconds: number,
  break_: () => void,
  detail?: string,
): Promise<{ at: string; detail?: string }> {
  break_();
  await sleep(milliseconds);
  victim.link.mend();
  await ready(victim);
  return { at: victim.name, ...(detail !== undefined && { detail }) };
}

async function allReady(replicas: readonly Replica[]): Promise<void> {
  await Promise.all(replicas.map(ready));
}

/** Waits until a replica is ready, or another fault is starting it. */
async function ready(replica: Replica): Promise<void> {
  await until(`${replica.name} is ready`, READY_WITHIN_MS, async () => {
    if (replica.url === undefined) return true;
    const answer = await fetch(`${replica.url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    return answer?.ok ?? false;
  });
}
