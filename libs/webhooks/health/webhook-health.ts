import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { isoTime, OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { PartitionUpkeep } from '#outbox';

/** `unknown` before the first attempt, then according to the result of the latest attempt. */
export const HEALTH_STATES = ['unknown', 'healthy', 'failing'] as const;

/** The health of an endpoint. */
export interface ShownHealth {
  state: (typeof HEALTH_STATES)[number];
  /** Number of attempts in the last 24 full hours and the current hour. */
  attempts: number;
  succeeded: number;
  /** Number of attempts without an answer in time. They are also counted as failed. */
  timeouts: number;
  /** Share of successful attempts, from 0 to 1; null without attempts. */
  success_rate: number | null;
  /** Duration in milliseconds; null without attempts. */
  average_duration_ms: number | null;
  /** Time of the latest success within the retention of the hourly figures. */
  last_success_at: string | null;
  last_failure_at: string | null;
}

interface HealthRow {
  webhook_id: string;
  attempts: number;
  succeeded: number;
  timeouts: number;
  duration_ms: number;
  last_success_at: string | null;
  last_failure_at: string | null;
}

const WINDOW_MS = 24 * 3_600_000;

const lastOf = (column: string) => `
  (select ${isoTime(`h.${column}`)} from ${SCHEMA}.webhook_hours h
   where h.org_id = $1 and h.webhook_id = w.id and h.${column} is not null order by h.hour desc limit 1) as ${column}`;

const READ = `
select w.id as webhook_id, s.*, ${lastOf('last_success_at')}, ${lastOf('last_failure_at')}
from unnest($2::uuid[]) as w (id) cross join lateral (
  select coalesce(sum(h.attempts), 0)::float8 as attempts, coalesce(sum(h.succeeded), 0)::float8 as succeeded,
    coalesce(sum(h.timeouts), 0)::float8 as timeouts, coalesce(sum(h.duration_ms), 0)::float8 as duration_ms
  from ${SCHEMA}.webhook_hours h where h.org_id = $1 and h.webhook_id = w.id and h.hour > $3) s`;

const FORGET = `select ${SCHEMA}.forget_webhook_hours($1)`;

/** Reads the health of endpoints from hourly figures, which every attempt updates. */
@Injectable()
export class WebhookHealth implements OnModuleInit {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly upkeep: PartitionUpkeep,
  ) {}

  /** Registers the deletion of old figures. Figures have the same retention as the log. */
  onModuleInit(): void {
    this.upkeep.addSweep(days => this.database.upkeep(FORGET, [days]));
  }

  /** The health of one webhook. Without attempts, it is {@link NO_HEALTH}. */
  async of(orgId: string, webhookId: string): Promise<ShownHealth> {
    return this.database.transaction(orgId, async em => {
      const health = await this.read(em, orgId, [webhookId]);
      return health.get(webhookId) ?? NO_HEALTH;
    });
  }

  /** The health of several webhooks by id, in a transaction of the organization. */
  async read(em: EntityManager, orgId: string, webhookIds: readonly string[]): Promise<Map<string, ShownHealth>> {
    const since = new Date(this.clock.now().getTime() - WINDOW_MS);
    const rows = await sqlOf(em).query<HealthRow>(READ, [orgId, plainArray(webhookIds, id => id), since]);
    return new Map(rows.map(row => [row.webhook_id, healthOf(row)]));
  }
}

/** The health before the first attempt. */
export const NO_HEALTH: ShownHealth = {
  state: 'unknown',
  attempts: 0,
  succeeded: 0,
  timeouts: 0,
  success_rate: null,
  average_duration_ms: null,
  last_success_at: null,
  last_failure_at: null,
};

function healthOf(row: HealthRow): ShownHealth {
  const { attempts, succeeded, timeouts, duration_ms, last_success_at, last_failure_at } = row;
  return {
    state: stateOf(last_success_at, last_failure_at),
    attempts,
    succeeded,
    timeouts,
    success_rate: attempts === 0 ? null : succeeded / attempts,
    average_duration_ms: attempts === 0 ? null : Math.round(duration_ms / attempts),
    last_success_at,
    last_failure_at,
  };
}

// The times can be compared as texts, because all are in the same ISO 8601 form.
function stateOf(success: string | null, failure: string | null): ShownHealth['state'] {
  if (success === null && failure === null) return 'unknown';
  return (success ?? '') >= (failure ?? '') ? 'healthy' : 'failing';
}
