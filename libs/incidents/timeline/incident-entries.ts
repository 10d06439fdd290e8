import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import { SCHEMA, sqlOf } from '#database';
import type { ActorStamp } from '../incident/stamp.js';

/** Kinds of timeline entries, except occurrences. */
export const ENTRY_KINDS = ['opened', 'status', 'note', 'followed', 'ticket'] as const;

/** All kinds of timeline entries. */
export const TIMELINE_KINDS = ['occurrence', ...ENTRY_KINDS] as const;

/** The kind of a timeline entry. */
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** A timeline entry to add. */
export interface IncidentEntry {
  readonly incidentId: string;
  /** UUID of version 7. */
  readonly id: string;
  readonly kind: (typeof ENTRY_KINDS)[number];
  readonly at: Date;
  readonly actor: ActorStamp;
  readonly data: JsonObject;
}

const INSERT = `
insert into ${SCHEMA}.incident_entries (org_id, incident_id, id, kind, at, actor, data)
values ($1, $2, $3, $4, $5, $6, $7)`;

/** Adds an entry to the timeline of an incident, in the transaction of the change. */
export async function addEntry(em: EntityManager, orgId: string, entry: IncidentEntry): Promise<void> {
  const { incidentId, id, kind, at, actor, data } = entry;
  const values = [incidentId, id, kind, at.toISOString(), JSON.stringify(actor), JSON.stringify(data)];
  await sqlOf(em).query(INSERT, [orgId, ...values]);
}
