import { join } from 'node:path';
import { sleep } from '../faults/processes/chance.js';
import type { Look } from './check/evidence.js';
import { JournalFile, now, type Incident } from './journal.js';
import type { Testbed } from './testbed/testbed.js';

const EVERY_MS = 500;
const TICK_MS = 50;
/** A timer with more delay than this means that the machine's processor is overloaded. */
const LATE_MS = 250;
/** Writes to the server's log, so that it waits for the disk like every commit of the app. */
const COMMIT = "select pg_logical_emit_message(true, 'campaign', '')";

// One statement sees one state of the database.
const LOOK = `
with windows as (
  select b.name, b.amount_usd, w.spent_usd, w.reserved_usd, (
    select coalesce(sum(r.amount_usd), 0) from governance.reservations r,
      unnest(r.budget_ids, r.window_starts, r.parts) as c (budget, start, part)
    where r.org_id = b.org_id and c.budget = b.id and c.start = w.window_start and coalesce(c.part, '') = w.part) as held
  from governance.budgets b join governance.budget_windows w on w.org_id = b.org_id and w.budget_id = b.id)
select
  (select string_agg(format('%s: %s spent and %s held of %s', name, spent_usd, reserved_usd, amount_usd), ', ')
   from windows where spent_usd + reserved_usd > amount_usd) as over,
  (select string_agg(format('%s: %s is held, and the reservations add up to %s', name, reserved_usd, held), ', ')
   from windows where reserved_usd <> held) as held`;

/** Checks the budgets continuously, because a temporary fault would not be visible at the end. */
export async function lookAtBudgets({ database, folder }: Testbed, over: AbortSignal): Promise<void> {
  const journal = new JournalFile(join(folder, 'looks.jsonl'));
  while (!over.aborted) {
    await sleep(EVERY_MS);
    // The query fails while the database is down.
    const [look] = await database.query<Look>(LOOK).catch(() => []);
    if (look) journal.write(look);
  }
}

/**
 * Records when the machine was too busy for events that must happen within a second: a timer or a small commit was
 * late.
 */
export async function noticeLateness(testbed: Testbed, over: AbortSignal): Promise<void> {
  await Promise.all([noticeLateTimers(testbed.folder, over), noticeLateCommits(testbed, over)]);
}

/** This commit waits for no lock of the app, so only the server or the machine can delay it. */
async function noticeLateCommits({ database, folder }: Testbed, over: AbortSignal): Promise<void> {
  const journal = new JournalFile(join(folder, 'faults.jsonl'));
  while (!over.aborted) {
    await sleep(LATE_MS);
    const begun = now();
    // An outage of the database is recorded as a separate fault.
    const isCommitted = await database.query(COMMIT).then(
      () => true,
      () => false,
    );
    const took = Math.round(now() - begun);
    if (!isCommitted || took <= LATE_MS) continue;
    const detail = `a commit of the campaign took ${took} ms`;
    journal.write({ fault: 'machine busy', at: 'machine', begun, ended: now(), detail } satisfies Incident);
  }
}

async function noticeLateTimers(folder: string, over: AbortSignal): Promise<void> {
  const journal = new JournalFile(join(folder, 'faults.jsonl'));
  while (!over.aborted) {
    const begun = now();
    await sleep(TICK_MS);
    const ended = now();
    const late = Math.round(ended - begun - TICK_MS);
    if (late <= LATE_MS) continue;
    const detail = `a timer was ${late} ms late`;
    journal.write({ fault: 'machine busy', at: 'machine', begun, ended, detail } satisfies Incident);
  }
}
