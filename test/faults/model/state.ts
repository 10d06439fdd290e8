import assert from 'node:assert/strict';
import type { Model } from './model.js';
import type { Coming } from './model-delivery.js';
import type { World } from './world.js';

interface StateRow {
  id: string;
  event_id: string;
  webhook_id: string;
  status: string;
  attempts: number;
  next_number: number | null;
  /** Milliseconds since 1970, with fractions. */
  due: number | null;
  is_leased: boolean | null;
  interruptions: number | null;
  log: string[];
  tasks: number;
}

const STATE = `
select d.id, d.event_id, d.webhook_id, d.status, d.attempts, t.attempt as next_number, t.interruptions,
  (extract(epoch from t.due_at) * 1000)::float8 as due, t.lease_token is not null as is_leased,
  array(select concat_ws(' ', a.number, a.trigger, coalesce(a.http_status::text, split_part(a.error, ':', 1)))
    from governance.webhook_attempts a where a.org_id = d.org_id and a.delivery_id = d.id) as log,
  (select count(*) from governance.tasks t where t.key = any ($2::text[]))::integer as tasks
from governance.webhook_deliveries d left join governance.tasks t on t.org_id = d.org_id and t.id = d.id
where d.org_id = $1 and d.webhook_id = any ($2::uuid[])`;

/**
 * Compares the deliveries of the history in the database with the model.
 * @param tookMs how long the workers took in real time. A due time that counts from the end of an attempt may be this
 * much earlier, because the world's time did not advance meanwhile
 */
export async function assertState(world: World, model: Model, tookMs: number): Promise<void> {
  const ids = model.webhooks.map(({ id }) => id);
  const rows = await world.asOwner<StateRow>(STATE, [world.actor.orgId, ids]);
  const real = new Map(rows.map(row => [`${row.webhook_id} ${row.event_id}`, row]));
  // The map keeps only one of several deliveries of one event to one webhook. The sizes differ if there are several.
  assert.equal(rows.length, real.size);
  const shown = rows.map(row => [`${row.webhook_id} ${row.event_id}`, shownRow(row)] as const);
  const wanted = model.deliveries.map(({ webhook, delivery }) => {
    const { status, attempts, log, coming } = delivery;
    const next = coming ? `#${coming.number} leased=${coming.lease > 0} cut=${coming.interruptions}` : null;
    return [`${webhook.id} ${delivery.event.id}`, { status, attempts, log: log.toSorted(), next }] as const;
  });
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(wanted));
  const waiting = model.deliveries.filter(({ delivery }) => delivery.coming !== undefined);
  assert.equal(rows[0]?.tasks ?? 0, waiting.length);

  for (const { webhook, delivery } of model.deliveries) {
    const row = real.get(`${webhook.id} ${delivery.event.id}`);
    delivery.id = row?.id;
    if (delivery.coming) assertDue(delivery.coming, row?.due, tookMs);
  }
}

/** Checks a due time. From then on, the model uses the exact time from the database. */
function assertDue(coming: Coming, due: number | null | undefined, tookMs: number): void {
  const earliest = coming.due - (coming.isCounted ? tookMs : 0);
  assert.ok(typeof due === 'number' && earliest <= due && due <= coming.due, `${earliest} <= ${due} <= ${coming.due}`);
  coming.due = due;
  coming.isCounted = false;
}

function shownRow({ status, attempts, log, next_number, is_leased, interruptions }: StateRow): object {
  const next = next_number === null ? null : `#${next_number} leased=${is_leased} cut=${interruptions}`;
  return { status, attempts, log: log.toSorted(), next };
}
