import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newChance, sleep } from '../faults/processes/chance.js';
import { approve } from './clients/approve.js';
import type { Surroundings } from './clients/caller.js';
import { intrude } from './clients/foreign.js';
import { callGateway } from './clients/gateway.js';
import { pressLimit } from './clients/limited.js';
import { askAbout, suspend } from './clients/people.js';
import { read } from './clients/read.js';
import { report } from './clients/report.js';
import { spend } from './clients/spend.js';
import { violate } from './clients/violate.js';
import { runFaults } from './faults/fault-injector.js';
import { NETWORK_FAULTS, processFaults, type Fault } from './faults/faults.js';
import { JournalFile } from './journal.js';
import { lookAtBudgets, noticeLateness } from './look.js';
import { takeStock } from './stock.js';
import type { Testbed } from './testbed/testbed.js';

/** The last part of a campaign has no faults, and at the end no clients, so that background work can finish. */
const CALM_MS = 5_000;
const DRAIN_WITHIN_MS = 90_000;

/**
 * Unfinished work. Tasks of existing tickets are left out: comments are sent with a delay, and the last search for a
 * duplicate follows five minutes after a create whose answer was lost.
 */
const LEFT = `
select queue || ', ' || count(*) || ', next in ' || extract(epoch from min(due_at) - governance.now())::int || ' s' as what
from governance.tasks k where quarantined_at is null and queue <> 'itsm-changes'
  and due_at < governance.now() + interval '10 minutes'
  and not exists (
    select from governance.tickets t where t.org_id = k.org_id and t.id = k.id and t.sync_state = 'created')
group by queue
union all select 'gateway calls, ' || count(*) from governance.open_calls having count(*) > 0`;

/** Runs clients and faults for this long, waits until all work is finished, and collects the results. */
export async function runCampaign(testbed: Testbed, seed: number, milliseconds: number): Promise<void> {
  const over = new AbortController();
  const calm = new AbortController();
  const journal = new JournalFile(join(testbed.folder, 'operations.jsonl'));
  const clients = startClients(testbed, seed, { ...testbed, journal, over: over.signal });
  const looks = Promise.all([lookAtBudgets(testbed, over.signal), noticeLateness(testbed, over.signal)]);
  const faults = startFaults(testbed, seed, calm.signal);
  await sleep(Math.max(0, milliseconds - CALM_MS));
  calm.abort();
  await faults;
  await sleep(CALM_MS);
  over.abort();
  await Promise.all([clients, looks]);
  testbed.receivers.mend();
  const left = await drain(testbed);
  writeFileSync(join(testbed.folder, 'stock.json'), JSON.stringify({ ...(await takeStock(testbed)), left }));
}

async function startClients(testbed: Testbed, seed: number, surroundings: Surroundings): Promise<void> {
  const { people, callerTokens } = testbed.organization;
  let next = seed * 1_000;
  const seedOf = (): number => ++next;
  await Promise.all([
    ...[1, 2, 3].map(() => spend(surroundings, seedOf(), people.spenders)),
    ...[1, 2].map(() => report(surroundings, seedOf(), people.researchers)),
    ...[1, 2].map(() => violate(surroundings, seedOf(), people.violators)),
    ...[1, 2].map(() => suspend(surroundings, seedOf(), people.guests)),
    ...[1, 2, 3, 4].map(() => askAbout(surroundings, seedOf(), people.guests)),
    ...[1, 2].map(() => callGateway(surroundings, seedOf(), callerTokens)),
    approve(surroundings, seedOf(), people.contractors),
    pressLimit(surroundings, seedOf(), people.researchers),
    read(surroundings, seedOf()),
    intrude(surroundings, seedOf(), testbed.otherToken, people.researchers),
  ]);
}

async function startFaults(testbed: Testbed, seed: number, over: AbortSignal): Promise<void> {
  const journal = new JournalFile(join(testbed.folder, 'faults.jsonl'));
  const run = (faults: readonly Fault[], ownSeed: number): Promise<void> =>
    runFaults(faults, { ...testbed, chance: newChance(ownSeed) }, journal, over);
  await Promise.all([run(processFaults(testbed.database), seed), run(NETWORK_FAULTS, seed + 1)]);
}

/**
 * Waits until no background work is left. The lease of a killed gateway's calls lasts a minute, so this function ends
 * all leases of calls at once.
 */
async function drain({ database }: Testbed): Promise<string[]> {
  await sleep(2_000);
  await database.query('update governance.open_calls set lease_until = opened_at');
  const deadline = performance.now() + DRAIN_WITHIN_MS;
  for (;;) {
    const left = await database.query<{ what: string }>(LEFT);
    if (left.length === 0) return [];
    if (performance.now() > deadline) return left.map(({ what }) => what);
    await sleep(250);
  }
}
