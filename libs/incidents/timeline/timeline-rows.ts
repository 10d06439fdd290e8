import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, type JsonObject } from '#core';
import { SCHEMA, sqlOf, type Statement, isoTime } from '#database';
import type { Incident } from '../incident/incident.entity.js';
import type { ActorStamp } from '../incident/stamp.js';
import type { TimelineKind } from './incident-entries.js';

/** One row of a timeline: an entry or an occurrence. Only occurrences have an event. */
export interface TimelineRow {
  id: string;
  kind: TimelineKind;
  at: string;
  actor: ActorStamp | null;
  data: JsonObject | null;
  event_id: string | null;
  action: string | null;
}

/**
 * Tolerated difference between the clocks of replicas, in milliseconds. An occurrence may be this much older than its
 * incident.
 */
const CLOCKS_DIFFER_MS = 86_400_000;

/** The SQL of a timeline. Ids of entries and of decisions grow with time, so they define the order. */
export class TimelineRows {
  private readonly parameters: unknown[];
  private readonly entries: string;
  private readonly occurrences: string;

  /** @param isTheirs whether the reader is the user whom the incident concerns; notes and tickets are then omitted */
  constructor(
    { orgId, id, firstSeenAt }: Incident,
    private readonly isTheirs: boolean,
  ) {
    // Ids contain the time, so partitions of days before the incident need not be read.
    const from = new Date(Math.max(0, firstSeenAt.getTime() - CLOCKS_DIFFER_MS));
    this.parameters = [orgId, id, newId(from, Buffer.alloc(10))];
    const shown = isTheirs ? ` and e.kind not in ('note', 'ticket')` : '';
    this.entries = `from ${SCHEMA}.incident_entries e where e.org_id = $1 and e.incident_id = $2::uuid${shown}`;
    this.occurrences = `from ${SCHEMA}.incident_occurrences o
      where o.org_id = $1 and o.incident_id = $2::uuid and o.decision_id >= $3::uuid`;
  }

  /** The ids of the given rows. */
  get all(): Statement {
    const sql = `select e.id ${this.entries} union all select o.decision_id ${this.occurrences}`;
    return { sql, parameters: [...this.parameters] };
  }

  /**
   * Reads at most `limit` rows before the row `before`, the newest first.
   * @param em of a transaction of the organization
   */
  newest(em: EntityManager, limit: number, before?: string): Promise<TimelineRow[]> {
    const parameters = [...this.parameters];
    const most = `limit $${parameters.push(limit)}`;
    const place = before === undefined ? undefined : `$${parameters.push(before)}::uuid`;
    const earlier = (id: string) => (place === undefined ? '' : ` and ${id} < ${place}`);
    const data = this.isTheirs ? `e.data - 'note'` : 'e.data';
    const sql = `
      (select e.id, e.kind, ${isoTime('e.at')} as at, e.actor, ${data} as data, null::uuid as event_id, null::text as action
       ${this.entries}${earlier('e.id')} order by e.id desc ${most})
      union all
      (select o.decision_id, 'occurrence', ${isoTime('o.at')}, null::jsonb, null::jsonb, o.event_id, o.action
       ${this.occurrences}${earlier('o.decision_id')} order by o.decision_id desc ${most})
      order by id desc ${most}`;
    return sqlOf(em).query<TimelineRow>(sql, parameters);
  }
}
