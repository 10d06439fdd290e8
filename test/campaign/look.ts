import { join } from 'node:path';
import { sleep } from '../faults/processes/chance.js';
import type { Look } from './check/evidence.js';
import { JournalFile, now, type Incident } from './journal.js';
import type { World } from './stage/world.js';

const EVERY_MS = 500;
const TICK_MS = 50;
/** A timer that is later than this says that the machine has no processor to spare. */
const LATE_MS = 250;

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

/** Looks at the budgets all the while: what is wrong for a moment only would not be seen at the end. */
export async function lookAtBudgets({ database, folder }: World, over: AbortSignal): Promise<void> {
  const journal = new JournalFile(join(folder, 'looks.jsonl'));
  while (!over.aborted) {
    await sleep(EVERY_MS);
    // While the database is away there is nothing to see.
    const [look] = await database.query<Look>(LOOK).catch(() => []);
    if (look) journal.write(look);
  }
}

/** Notes when the machine was too busy for what must happen within a second. */
export async function noticeLateness(folder: string, over: AbortSignal): Promise<void> {
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
