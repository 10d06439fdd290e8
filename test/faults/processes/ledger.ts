import type { ReceivedRequest } from '../../support/endpoint-behaviours.js';
import type { TestDatabase } from '../../support/test-postgres.js';

/** The rows of one delivery in the database. */
export interface LedgerEntry {
  id: string;
  /** The event id that receivers see. */
  eventId: string;
  /** The target URL. */
  path: string;
  status: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The body to send. */
  body: Buffer;
  /** Attempts in the order in which they started. */
  attempts: LedgerAttempt[];
}

export interface LedgerAttempt {
  number: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  httpStatus: number | null;
  error: string | null;
}

const READ = `
select d.id, 'evt_' || replace(d.event_id::text, '-', '') as "eventId", regexp_replace(w.url, '^https://[^/]+', '') as path,
  d.status, extract(epoch from d.created_at)::float8 * 1000 as "createdAt", e.body, coalesce((
    select json_agg(json_build_object('number', a.number, 'httpStatus', a.http_status, 'error', a.error,
      'startedAt', extract(epoch from a.started_at) * 1000) order by a.started_at)
    from governance.webhook_attempts a where a.org_id = d.org_id and a.delivery_id = d.id), '[]') as attempts
from governance.webhook_deliveries d
join governance.webhooks w on w.org_id = d.org_id and w.id = d.webhook_id
join governance.events e on e.org_id = d.org_id and e.id = d.event_id
order by d.id`;

/** Every delivery with all its attempts. */
export function readLedger(database: TestDatabase): Promise<LedgerEntry[]> {
  return database.asOwner<LedgerEntry>(READ);
}

/** Aborted attempts. */
export function interruptions({ attempts }: LedgerEntry): LedgerAttempt[] {
  return attempts.filter(({ error }) => error?.startsWith('interrupted') ?? false);
}

/** A received POST and its sender. */
export interface Post {
  by: string;
  arrivedAt: number;
  arrivedTick: number;
  body: Buffer;
}

/** The POSTs of each delivery in order of arrival, by `eventId path`. */
export function postsByDelivery(requests: readonly ReceivedRequest[]): Map<string, Post[]> {
  const posts = new Map<string, Post[]>();
  for (const { headers, path, body, arrivedAt, arrivedTick } of requests) {
    const key = `${String(headers['webhook-id'])} ${path}`;
    const post = { by: senderOf(headers['user-agent']), arrivedAt, arrivedTick, body };
    posts.set(key, [...(posts.get(key) ?? []), post]);
  }
  return posts;
}

/** The POSTs of a delivery. */
export function postsOf(posts: ReadonlyMap<string, Post[]>, { eventId, path }: LedgerEntry): Post[] {
  return posts.get(`${eventId} ${path}`) ?? [];
}

/** The name of the replica that sent a request. */
export function senderOf(userAgent = ''): string {
  return userAgent.replace(/-Webhooks\/1$/, '');
}
