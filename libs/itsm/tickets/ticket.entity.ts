import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import { OrgRecord } from '#database';
import type { TicketDraft } from '../adapter/ticket-draft.js';
import type { TicketState, TicketStatus } from '../adapter/ticket-state.js';
import type { SyncState } from '../decide/progress.js';

/** Origin of a ticket: who or what requested it. */
export type TicketOrigin = 'automatic' | 'manual' | 'chat' | 'test';

/** A draft as it is stored, without its key. The key is the ticket's id. */
export type StoredDraft = Omit<TicketDraft, 'key'>;

/**
 * A ticket, from the moment it is requested. An incident has at most one ticket per connector. The ticket outlives its
 * connector.
 */
@Entity({ tableName: 'tickets', schema: 'governance' })
export class Ticket extends OrgRecord {
  /** Id of the incident. Null for a test ticket. */
  @Property({ type: 'uuid', nullable: true })
  incidentId!: string | null;

  @Property({ type: 'uuid' })
  connectorId!: string;

  /** Kind of the connector. */
  @Property({ type: 'text' })
  kind!: string;

  @Property({ type: 'text' })
  origin!: TicketOrigin;

  /** Id of the event of the occurrence that opened the incident. */
  @Property({ type: 'uuid', nullable: true })
  eventId!: string | null;

  @Property({ type: 'json' })
  draft!: StoredDraft;

  @Property({ type: 'text' })
  syncState!: SyncState;

  /** Number of attempts to create the ticket. */
  @Property({ type: 'integer' })
  attempts!: number;

  /** Number of create requests whose outcome is unknown. Each of them may have created a ticket. */
  @Property({ type: 'integer' })
  unanswered!: number;

  @Property({ type: 'text', nullable: true })
  externalTicketId!: string | null;

  @Property({ type: 'text', nullable: true })
  platformId!: string | null;

  @Property({ type: 'text', nullable: true })
  url!: string | null;

  /** Id of the ticket on the platform. Null until the ticket is created. */
  @Property({ type: 'text', nullable: true })
  status!: TicketStatus | null;

  /** Time of the last change of the status, by the platform's clock if it is known. */
  @Property({ type: 'timestamptz', nullable: true })
  statusAt!: Date | null;

  /** One sentence for each value that the platform did not accept. */
  @Property({ type: 'text[]' })
  degraded!: string[];

  @Property({ type: 'text', nullable: true })
  errorCode!: string | null;

  @Property({ type: 'text', nullable: true })
  error!: string | null;

  @Property({ type: 'json', nullable: true })
  errorFields!: JsonObject | null;

  @Property({ type: 'text', nullable: true })
  resolution!: string | null;

  @Property({ type: 'text', nullable: true })
  notes!: string | null;

  @Property({ type: 'text', nullable: true })
  updatedBy!: string | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /**
   * Applies a status that the platform reports. Ignores it if it is outdated or equal. Returns whether anything
   * changed. Fields that the report lacks keep their values.
   */
  reportStatus(state: TicketState, now: Date): boolean {
    const at = state.occurredAt;
    if (at !== undefined && this.statusAt !== null && at < this.statusAt) return false;
    const { status, resolution = this.resolution, notes = this.notes, updatedBy = this.updatedBy } = state;
    const isSame =
      status === this.status && resolution === this.resolution && notes === this.notes && updatedBy === this.updatedBy;
    if (isSame) return false;
    Object.assign(this, { status, resolution, notes, updatedBy, statusAt: at ?? now, updatedAt: now });
    return true;
  }
}
