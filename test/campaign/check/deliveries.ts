import { createHmac } from 'node:crypto';
import type { Post } from '../journal.js';
import type { Evidence } from './evidence.js';
import type { Rule } from './rule.js';

interface DeliveryRow {
  event: string;
  receiver: string | null;
  status: string | null;
  body: string;
  /** Attempts that were answered with 2xx. */
  succeeded: number;
  /** All logged attempts, including those that a crash or an outage aborted. */
  logged: number;
}

// Every event of the organization, once for each webhook that existed before the first event.
const DELIVERIES = `
select case e.type when 'ping' then 'evt_test_' else 'evt_' end || replace(e.id::text, '-', '') as event,
  regexp_replace(w.url, '^https://[^/]+/', '') as receiver, d.status, convert_from(e.body, 'UTF8') as body,
  (select count(*) from governance.webhook_attempts a where a.org_id = d.org_id and a.delivery_id = d.id
     and a.http_status between 200 and 299)::int as succeeded,
  (select count(*) from governance.webhook_attempts a where a.org_id = d.org_id and a.delivery_id = d.id)::int as logged
from governance.events e cross join governance.webhooks w
left join governance.webhook_deliveries d on d.org_id = e.org_id and d.event_id = e.id and d.webhook_id = w.id
where e.org_id = $1 and w.org_id = $1`;

const ARRIVED: Rule = {
  name: 'every event is delivered',
  check: async evidence => {
    const { rows, postsOf } = await deliveries(evidence);
    const violations = rows.flatMap(row => {
      const posts = postsOf(row);
      if (row.status !== 'delivered') return [`${row.event} to ${row.receiver} is ${row.status ?? 'not there'}`];
      if (!posts.some(({ answered }) => answered === 'ok')) return [`${row.receiver} never took ${row.event}`];
      if (posts.some(({ body }) => body !== row.body)) return [`${row.receiver} got other bytes of ${row.event}`];
      return posts.every(post => isSigned(post, evidence)) ? [] : [`${row.event} to ${row.receiver} is signed wrongly`];
    });
    return { examined: rows.length, violations };
  },
};

const ONCE: Rule = {
  name: 'no delivery is repeated without a reason',
  check: async evidence => {
    const { rows, postsOf } = await deliveries(evidence);
    const violations = rows.flatMap(row => {
      const { event, receiver, succeeded, logged } = row;
      if (succeeded > 1) return [`${event} to ${receiver} succeeded ${succeeded} times`];
      const posts = postsOf(row).length;
      return posts > logged ? [`${receiver} got ${event} ${posts} times, and ${logged} attempts are logged`] : [];
    });
    return { examined: rows.length, violations };
  },
};

const KNOWN: Rule = {
  name: 'receivers get nothing but events',
  check: async evidence => {
    const { rows } = await deliveries(evidence);
    const known = new Set(rows.map(({ event, receiver }) => `${event} ${receiver}`));
    const unknown = evidence.posts.filter(({ event, receiver }) => !known.has(`${event} ${receiver}`));
    return {
      examined: evidence.posts.length,
      violations: unknown.map(({ event, receiver }) => `${receiver} got ${event}, which does not exist`),
    };
  },
};

export const DELIVERY_RULES: readonly Rule[] = [ARRIVED, ONCE, KNOWN];

async function deliveries(
  evidence: Evidence,
): Promise<{ rows: DeliveryRow[]; postsOf: (row: DeliveryRow) => readonly Post[] }> {
  const rows = await evidence.rows<DeliveryRow>(DELIVERIES);
  const posts = Map.groupBy(evidence.posts, ({ event, receiver }) => `${event} ${receiver}`);
  return { rows, postsOf: ({ event, receiver }) => posts.get(`${event} ${receiver}`) ?? [] };
}

function isSigned({ receiver, body, signature }: Post, { stock: { secrets } }: Evidence): boolean {
  const hmac = createHmac('sha256', secrets[receiver] ?? '')
    .update(body)
    .digest('hex');
  return signature === `sha256=${hmac}`;
}
