import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, type Severity } from '#core';
import { markSql, plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { EventOutbox, PartitionUpkeep, type FiredEvent } from '#outbox';
import { INCIDENTS_OPTIONS, type IncidentsOptions } from '../incidents.options.js';
import { INCIDENTS_TOPIC } from '../incidents.topic.js';
import { keyOf, mergeOccurrences } from './merge-occurrences.js';
import type { Occurrence, OccurrenceGroup, RaisedIncident } from './occurrence.js';

/** Versions per group: one for its incident, and one for a previous incident that was quiet for too long. */
const VERSIONS_PER_GROUP = 2;

const DEFAULT_WINDOW_MINUTES = 60;

// The function gets the incremented mark, so it runs while the lock on the mark is held.
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
  /** The worst severity of the occurrences that opened it together. */
  readonly severity: Severity;
  /** The first of the occurrences. */
  readonly occurrence: Occurrence;
  /** The event of the occurrence. */
  readonly event: FiredEvent;
}

/** Reacts to incidents, in the transaction that opens or changes them. */
export interface IncidentConsumer {
  /**
   * Called with the incidents that were opened together; never for a repeated occurrence. Writes rows and adds tasks. Must
   * not call other systems.
   */
  opened(em: EntityManager, orgId: string, incidents: readonly OpenedIncident[]): Promise<void>;

  /**
   * Called after `opened` with all incidents that were opened, counted or changed. Incidents that were resolved because
   * they were quiet are not listed, but the incidents that replace them are. The rules of `opened` apply.
   */
  changed?(em: EntityManager, orgId: string, incidentIds: readonly string[]): Promise<void>;
}

interface RaisedRow {
  place: number;
  incident_id: string;
  is_new: boolean;
}

/** Opens and counts incidents for the features. */
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

  /** Adds a consumer. Call it while the module is initialized. */
  addConsumer(consumer: IncidentConsumer): void {
    this.consumers.push(consumer);
  }

  /**
   * Counts occurrences in their unresolved incidents, or opens new ones, and emits an event per occurrence that names its
   * incident, all in the caller's transaction. Until the commit, no other transaction of the organization can change
   * incidents, so call it late. An incident that was quiet for longer than the window is resolved and replaced.
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

/** One array per parameter of the function, beginning with the ids. */
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
