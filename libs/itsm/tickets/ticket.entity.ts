import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import type { TicketDraft } from '../adapter/ticket-draft.js';
import type { TicketState, TicketStatus } from '../adapter/ticket-state.js';
import type { SyncState } from '../decide/progress.js';

/** Who asked for a ticket. */
export type TicketOrigin = 'automatic' | 'manual' | 'chat' | 'test';

/** A draft as it is kept: its key is the ticket's id. */
export type StoredDraft = Omit<TicketDraft, 'key'>;

/** A ticket, from when it was asked for. At most one per incident and connector; it outlives its connector. */
@Entity({ tableName: 'tickets', schema: 'governance' })
export class Ticket {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  /** By which the ticket is found again on its platform, too. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** Null for a test. */
  @Property({ type: 'uuid', nullable: true })
  incidentId!: string | null;

  @Property({ type: 'uuid' })
  connectorId!: string;

  /** Of the connector. */
  @Property({ type: 'text' })
  kind!: string;

  @Property({ type: 'text' })
  origin!: TicketOrigin;

  /** The event of the occurrence that opened the incident. */
  @Property({ type: 'uuid', nullable: true })
  eventId!: string | null;

  @Property({ type: 'json' })
  draft!: StoredDraft;

  @Property({ type: 'text' })
  syncState!: SyncState;

  /** How often the platform was asked to create it. */
  @Property({ type: 'integer' })
  attempts!: number;

  /** Requests to create it of whose end nothing is known: it may be there as often. */
  @Property({ type: 'integer' })
  unanswered!: number;

  @Property({ type: 'text', nullable: true })
  externalTicketId!: string | null;

  @Property({ type: 'text', nullable: true })
  platformId!: string | null;

  @Property({ type: 'text', nullable: true })
  url!: string | null;

  /** Null until it is created. */
  @Property({ type: 'text', nullable: true })
  status!: TicketStatus | null;

  /** When the status became what it is, by the platform's clock where it says. */
  @Property({ type: 'timestamptz', nullable: true })
  statusAt!: Date | null;

  /** What the ticket had to do without, in sentences. */
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
   * Takes over what the platform says. Nothing happens where that is older than what is known, or nothing differs;
   * returns whether anything does. What the platform leaves out stays as it was.
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
