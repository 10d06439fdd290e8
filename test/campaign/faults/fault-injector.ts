import { sleep, type Chance } from '../../faults/processes/chance.js';
import { now, type Incident, type JournalFile } from '../journal.js';
import type { Fault, Targets } from './faults.js';

/** Longest pause between two faults, in milliseconds. */
const PAUSE_MS = 5_000;

/** Runs random faults, one after the other, until stopped. Each fault occurs once before any fault is repeated. */
export async function runFaults(
  faults: readonly Fault[],
  targets: Targets,
  journal: JournalFile,
  over: AbortSignal,
): Promise<void> {
  const { chance, replicas } = targets;
  let remaining: Fault[] = [];
  for (;;) {
    await sleep(1_000 + chance.below(PAUSE_MS));
    if (over.aborted) return;
    if (remaining.length === 0) remaining = shuffled(faults, chance);
    const fault = remaining.pop();
    const victim = replicas[chance.below(replicas.length)];
    if (!fault || !victim) return;
    const begun = now();
    const said = await fault.run(targets, victim);
    journal.write({ fault: fault.name, begun, ended: now(), ...said } satisfies Incident);
  }
}

function shuffled<Item>(items: readonly Item[], chance: Chance): Item[] {
  return items
    .map(item => ({ item, at: chance.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
