import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { isoTime, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { percentileOf } from '../decide/index.js';
import { findWebhook } from '../registrations/webhook.service.js';

/** Results of the attempts to reach an endpoint within one hour. */
export interface HealthHour {
  /** Start of the hour, UTC. */
  hour: string;
  delivered: number;
  /** Number of failed attempts, including those without an answer in time. */
  failed: number;
  timeouts: number;
  /** Duration in milliseconds, estimated from buckets; null without attempts. */
  p50_ms: number | null;
  p95_ms: number | null;
}

interface HourRow {
  hour: string;
  attempts: number;
  succeeded: number;
  timeouts: number;
  latencies: number[];
}

const HOUR_MS = 3_600_000;

// The primary key orders the rows by hour, so the query reads a single range.
const READ = `
select ${isoTime('s.hour')} as hour, coalesce(h.attempts, 0) as attempts, coalesce(h.succeeded, 0) as succeeded,
  coalesce(h.timeouts, 0) as timeouts, coalesce(h.latencies, '{}') as latencies
from generate_series($3::timestamptz, $4::timestamptz, interval '1 hour') as s (hour)
left join ${SCHEMA}.webhook_hours h on h.org_id = $1 and h.webhook_id = $2 and h.hour = s.hour
order by s.hour`;

/** Reads the health of an endpoint hour by hour. */
@Injectable()
export class HourlyHealth {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the current hour and the hours before it, the oldest first. Includes hours without attempts.
   * @throws WebhookNotFoundError
   */
  async of(orgId: string, webhookId: string, hours: number): Promise<HealthHour[]> {
    const last = Math.floor(this.clock.now().getTime() / HOUR_MS) * HOUR_MS;
    const range = [new Date(last - (hours - 1) * HOUR_MS), new Date(last)];
    return this.database.snapshot(orgId, async em => {
      await findWebhook(em, orgId, webhookId);
      const rows = await sqlOf(em).query<HourRow>(READ, [orgId, webhookId, ...range]);
      return rows.map(({ hour, attempts, succeeded, timeouts, latencies }) => ({
        hour,
        delivered: succeeded,
        failed: attempts - succeeded,
        timeouts,
        p50_ms: percentileOf(latencies, 0.5),
        p95_ms: percentileOf(latencies, 0.95),
      }));
    });
  }
}
