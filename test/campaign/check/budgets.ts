import { field, ofKind, text, type Evidence } from './evidence.js';
import type { Rule } from './rule.js';

interface WindowRow {
  name: string;
  amount: string;
  spent: string;
  reserved: string;
  held: string;
  used: string;
}

// Sums the usage again from the events: those in the budget's scope and window.
const WINDOWS = `
select b.name || ' ' || w.window_start::date || coalesce(' ' || nullif(w.part, ''), '') as name, b.amount_usd::text as amount,
  w.spent_usd::text as spent, w.reserved_usd::text as reserved,
  (select coalesce(sum(r.amount_usd), 0) from governance.reservations r,
     unnest(r.budget_ids, r.window_starts, r.parts) as c (budget, start, part)
   where r.org_id = b.org_id and c.budget = b.id and c.start = w.window_start and coalesce(c.part, '') = w.part)::text as held,
  (select coalesce(sum(e.cost_usd), 0) from governance.usage_events e
   where e.org_id = b.org_id and e.occurred_at >= w.window_start and e.occurred_at < w.window_end
     and (b.department is null or e.department = b.department) and (b.user_id is null or e.user_id = b.user_id)
     and (b.model is null or e.model = b.model))::text as used
from governance.budgets b join governance.budget_windows w on w.org_id = b.org_id and w.budget_id = b.id
where b.org_id = $1 and b.enforcement = 'block'`;

const EPSILON = 1e-12;

const OVERSPENT: Rule = {
  name: 'no budget is overspent',
  check: async evidence => {
    const windows = await evidence.rows<WindowRow>(WINDOWS);
    const atTheEnd = windows
      .filter(({ spent, reserved, amount }) => Number(spent) + Number(reserved) > Number(amount) + EPSILON)
      .map(({ name, spent, reserved, amount }) => `${name}: ${spent} spent and ${reserved} held of ${amount}`);
    const meanwhile = evidence.looks.filter(({ over }) => over !== null).map(({ over }) => `meanwhile: ${over}`);
    return { examined: windows.length + evidence.looks.length, violations: [...atTheEnd, ...meanwhile] };
  },
};

const COUNTED: Rule = {
  name: 'budgets count exactly what was used',
  check: async evidence => {
    const windows = await evidence.rows<WindowRow>(WINDOWS);
    const violations = windows
      .filter(({ spent, used }) => Number(spent) !== Number(used))
      .map(({ name, spent, used }) => `${name}: ${spent} is counted, and the events add up to ${used}`);
    return { examined: windows.length, violations };
  },
};

const HELD: Rule = {
  name: 'budgets hold exactly what is reserved',
  check: async evidence => {
    const windows = await evidence.rows<WindowRow>(WINDOWS);
    const atTheEnd = windows
      .filter(({ reserved, held }) => Number(reserved) !== Number(held))
      .map(({ name, reserved, held }) => `${name}: ${reserved} is held, and the reservations add up to ${held}`);
    const meanwhile = evidence.looks.filter(({ held }) => held !== null).map(({ held }) => `meanwhile: ${held}`);
    return { examined: windows.length + evidence.looks.length, violations: [...atTheEnd, ...meanwhile] };
  },
};

/** A decision's reservation is released once, even if the release is requested several times or on several replicas. */
const RELEASED: Rule = {
  name: 'a reservation is released once',
  check: evidence => {
    const releases = ofKind(evidence, 'release').filter(({ status }) => status === 200);
    const violations = [...Map.groupBy(releases, ({ asked }) => text(asked, 'decision'))]
      .map(([decision, all]) => ({
        decision,
        times: all.filter(({ answer }) => Number(field(answer, 'released_usd')) > 0).length,
      }))
      .filter(({ times }) => times > 1)
      .map(({ decision, times }) => `the money of ${decision} was given back ${times} times`);
    return { examined: releases.length, violations };
  },
};

const WINDOW_MS = 60_000;
/** Requests that the campaign's limit allows in any minute. */
const LIMIT = 60;

/** A crash of the database may lose the claims of its last second, so minutes with a crash are skipped. */
const LIMITED: Rule = {
  name: 'no limit is exceeded',
  check: evidence => {
    const allowed = decisions(evidence)
      .filter(({ asked, answer }) => text(asked, 'model') === 'limited-1' && field(answer, 'allowed') === true)
      .toSorted((a, b) => a.begun - b.begun);
    const violations: string[] = [];
    for (const { begun: from } of allowed) {
      // A request that was sent and answered within one minute was decided within that minute.
      const until = from + WINDOW_MS;
      const within = allowed.filter(({ begun, ended = Infinity }) => begun >= from && ended <= until);
      const isCrash = evidence.incidents.some(
        ({ at, begun, ended }) => at === 'database' && begun < until && ended > from,
      );
      if (within.length > LIMIT && !isCrash) violations.push(`${within.length} requests within a minute`);
    }
    return { examined: allowed.length, violations };
  },
};

export const BUDGET_RULES: readonly Rule[] = [OVERSPENT, COUNTED, HELD, RELEASED, LIMITED];

function decisions(evidence: Evidence): ReturnType<typeof ofKind> {
  return ofKind(evidence, 'decide').filter(({ status }) => status === 200);
}
