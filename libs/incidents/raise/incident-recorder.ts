import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, type Severity } from '#core';
import { markSql, plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { EventOutbox, PartitionUpkeep, type FiredEvent } from '#outbox';
import { INCIDENTS_OPTIONS, type IncidentsOptions } from '../incidents.options.js';
import { INCIDENTS_TOPIC } from '../incidents.topic.js';
import { keyOf, mergeOccurrences } from './merge-occurrences.js';
import type { Occurrence, OccurrenceGroup, RaisedIncident } from './occurrence.js';

/** Number of versions per group: one for its incident, and one for a previous incident that is replaced. */
const VERSIONS_PER_GROUP = 2;

const DEFAULT_WINDOW_MINUTES = 60;

// The statement increments the version and passes it to the function. The function therefore runs while the version is
// locked.
const RAISE = `
with marked as (${markSql('$1::uuid', `'${INCIDENTS_TOPIC}'`, '$2::bigint')})
select r.place::int, r.incident_id, r.is_new from marked cross join lateral ${SCHEMA}.raise_incidents($1::uuid,
  marked.version::bigint - $2::bigint, $3::integer, $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[],
  $10::text[], $11::text[], $12::jsonb[], $13::bigint[], $14::timestamptz[], $15::timestamptz[]) r`;

const ENTER = `
insert into ${SCHEMA}.incident_occurrences (org_id, incident_id, decision_id, event_id, action, at)
select $1, o.* from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[])
  as o (incident_id, decision_id, event_id, action, at)`;

/** A newly opened incident. */
export interface OpenedIncident {
  readonly incidentId: string;
  /** The highest severity of the occurrences that opened the incident together. */
  readonly severity: Severity;
  /** The first of these occurrences. */
  readonly occurrence: Occurrence;
  /** The event of this occurrence. */
  readonly event: FiredEvent;
}

/** Reacts to incidents, in the transaction that opens or changes them. */
export interface IncidentConsumer {
  /**
   * Called with incidents that were opened together. Not called for repeated occurrences. May write rows and add tasks.
   * Must not call other systems.
   */
  opened(em: EntityManager, orgId: string, incidents: readonly OpenedIncident[]): Promise<void>;

  /**
   * Called after `opened` with all incidents that were opened, counted an occurrence, or were changed. If a quiet
   * incident was resolved and replaced, only the new incident is listed. The restrictions of `opened` apply.
   */
  changed?(em: EntityManager, orgId: string, incidentIds: readonly string[]): Promise<void>;
}

interface RaisedRow {
  place: number;
  incident_id: string;
  is_new: boolean;
}

/** Opens incidents and counts occurrences for other libraries. */
@Injectable()
export class IncidentRecorder implements OnModuleInit {
  private readonly windowMinutes: number;
  private readonly consumers: IncidentConsumer[] = [];

  constructor(
    private readonly outbox: EventOutbox,
    private readonly upkeep: PartitionUpkeep,
    @Inject(INCIDENTS_OPTIONS) options: IncidentsOptions,
  ) {
    this.windowMinutes = options.windowMinutes ?? DEFAULT_WINDOW_MINUTES;
  }

  onModuleInit(): void {
    this.upkeep.add('incident_occurrences');
  }

  /** Adds a consumer. Call it during module initialization. */
  addConsumer(consumer: IncidentConsumer): void {
    this.consumers.push(consumer);
  }

  /**
   * Counts occurrences in their unresolved incidents, or opens new incidents. Emits an event for each occurrence, which
   * names its incident. All of this is part of the caller's transaction. Until the commit, no other transaction can
   * change incidents of the organization, so call it late. An incident without an occurrence for longer than the window
   * is resolved and replaced.
   * @returns the incident of each occurrence, in the order of the occurrences
   * @throws Error outside a transaction
   */
  async raise(em: EntityManager, orgId: string, occurrences: readonly Occurrence[]): Promise<RaisedIncident[]> {
    if (occurrences.length === 0) return [];
    const groups = mergeOccurrences(occurrences);
    const incidents = await this.count(em, orgId, groups);
    const raised = occurrences.map((occurrence): RaisedIncident => {
      const key = keyOf(occurrence);
      const row = incidents.get(key);
      if (!row) throw new Error('An incident that was raised has not been returned.');
      return { incidentId: row.incident_id, isNew: row.is_new && groups.get(key)?.first === occurrence };
    });
    const events = occurrences.map(({ event }, at) => event(raised[at]?.incidentId ?? ''));
    const fired = await this.outbox.fire(em, orgId, events);
    await this.enter(em, orgId, occurrences, raised, fired);
    const opened = occurrences.flatMap((occurrence, at): OpenedIncident[] => {
      const [incident, event] = [raised[at], fired[at]];
      if (!incident?.isNew || !event) return [];
      const severity = groups.get(keyOf(occurrence))?.severity ?? occurrence.severity;
      return [{ incidentId: incident.incidentId, severity, occurrence, event }];
    });
    if (opened.length > 0) for (const consumer of this.consumers) await consumer.opened(em, orgId, opened);
    await this.tellChanged(em, orgId, [...new Set(raised.map(({ incidentId }) => incidentId))]);
    return raised;
  }

  /** Notifies consumers of changed incidents, in the transaction of the change. */
  async tellChanged(em: EntityManager, orgId: string, incidentIds: readonly string[]): Promise<void> {
    if (incidentIds.length > 0) for (const consumer of this.consumers) await consumer.changed?.(em, orgId, incidentIds);
  }

  private async count(
    em: EntityManager,
    orgId: string,
    groups: ReadonlyMap<string, OccurrenceGroup>,
  ): Promise<Map<string, RaisedRow>> {
    const all = [...groups.values()];
    const versions = all.length * VERSIONS_PER_GROUP;
    const rows = await sqlOf(em).query<RaisedRow>(RAISE, [orgId, versions, this.windowMinutes, ...columnsOf(all)]);
    const keys = [...groups.keys()];
    return new Map(rows.map(row => [keys[row.place - 1] ?? '', row]));
  }

  private async enter(
    em: EntityManager,
    orgId: string,
    occurrences: readonly Occurrence[],
    raised: readonly RaisedIncident[],
    events: readonly FiredEvent[],
  ): Promise<void> {
    const rows = occurrences.map(({ decisionId, action, at: time }, at) => {
      return { decisionId, action, time, incidentId: raised[at]?.incidentId, eventId: events[at]?.id };
    });
    await sqlOf(em).query(ENTER, [
      orgId,
      plainArray(rows, row => row.incidentId),
      plainArray(rows, row => row.decisionId),
      plainArray(rows, row => row.eventId),
      textArray(rows, row => row.action),
      plainArray(rows, row => row.time.toISOString()),
    ]);
  }
}

/** One array for each parameter of the function. The first array contains the ids. */
function columnsOf(groups: readonly OccurrenceGroup[]): string[] {
  return [
    plainArray(groups, ({ first }) => newId(first.at)),
    textArray(groups, ({ first }) => first.type),
    textArray(groups, ({ severity }) => severity),
    textArray(groups, ({ first }) => first.userId?.toLowerCase()),
    textArray(groups, ({ first }) => first.userEmail),
    plainArray(groups, ({ first }) => first.policyId),
    textArray(groups, ({ first }) => first.provider),
    textArray(groups, ({ first }) => first.model),
    textArray(groups, ({ first }) => JSON.stringify(first.details)),
    plainArray(groups, ({ count }) => count),
    plainArray(groups, ({ first }) => first.at.toISOString()),
    plainArray(groups, ({ last }) => last.at.toISOString()),
  ];
}
