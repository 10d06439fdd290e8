import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson } from '#core';
import { OrgRecord } from '#database';
import { EVENT_TYPES } from '#outbox';
import type { WebhookDraft } from './webhook-rules.js';

const HOUR_MS = 3_600_000;

/** An endpoint of a subscriber. */
@Entity({ tableName: 'webhooks', schema: 'governance' })
export class Webhook extends OrgRecord {
  @Property({ type: 'text' })
  url!: string;

  /** Subscribed types without duplicates. Null: all types, also of later versions, except those that must be named. */
  @Property({ type: 'text[]', nullable: true })
  events!: string[] | null;

  @Property({ type: 'text', nullable: true })
  description!: string | null;

  /** While false, deliveries wait. */
  @Property({ type: 'boolean' })
  enabled!: boolean;

  /** Starts at 1; each rotation increments it. */
  @Property({ type: 'integer' })
  secretVersion!: number;

  /** Until then, the previous secret signs too; null if there is none. */
  @Property({ type: 'timestamptz', nullable: true })
  previousSecretUntil!: Date | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** Creates a webhook with its first secret. */
  static register(orgId: string, id: string, draft: WebhookDraft, now: Date): Webhook {
    const webhook = new Webhook();
    webhook.orgId = orgId;
    webhook.id = id;
    webhook.url = draft.url;
    webhook.events = choiceOf(draft.events);
    webhook.description = draft.description ?? null;
    webhook.enabled = draft.enabled ?? true;
    webhook.secretVersion = 1;
    webhook.previousSecretUntil = null;
    webhook.createdAt = now;
    webhook.updatedAt = now;
    return webhook;
  }

  /** Changes the supplied fields. Returns whether anything changed. */
  change(patch: Partial<WebhookDraft>, now: Date): boolean {
    const before = canonicalJson(this.content());
    if (patch.url !== undefined) this.url = patch.url;
    if (patch.events !== undefined && !this.showsAs(patch.events)) this.events = choiceOf(patch.events);
    if (patch.description !== undefined) this.description = patch.description;
    if (patch.enabled !== undefined) this.enabled = patch.enabled;
    if (canonicalJson(this.content()) === before) return false;
    this.touch(now);
    return true;
  }

  /** Counts a rotation. The old secret also signs for the given hours; an older one no longer does. */
  rotateSecret(overlapHours: number, now: Date): void {
    this.secretVersion += 1;
    this.previousSecretUntil = overlapHours > 0 ? new Date(now.getTime() + overlapHours * HOUR_MS) : null;
    this.touch(now);
  }

  /** The subscribed types of this version. */
  get subscribedEvents(): readonly string[] {
    return this.events ?? EVENT_TYPES;
  }

  /** End of the overlap, in which the previous secret signs too; null if it has passed. */
  overlapEnd(now: Date): Date | null {
    const until = this.previousSecretUntil;
    return until !== null && until > now ? until : null;
  }

  /** Whether a client sent back the list that it was shown for "all types". It still means all types. */
  private showsAs(events: WebhookDraft['events']): boolean {
    const named = new Set<string>(choiceOf(events));
    return this.events === null && named.size === EVENT_TYPES.length && EVENT_TYPES.every(type => named.has(type));
  }

  /** Advances `updatedAt` by at least one millisecond, even if the clock did not advance or was set back. */
  private touch(now: Date): void {
    this.updatedAt = new Date(Math.max(now.getTime(), this.updatedAt.getTime() + 1));
  }

  private content(): Required<Pick<Webhook, 'url' | 'events' | 'description' | 'enabled'>> {
    const { url, events, description, enabled } = this;
    return { url, events, description, enabled };
  }
}

function choiceOf(events: WebhookDraft['events']): string[] | null {
  return events === undefined || events === null || events.length === 0 ? null : [...new Set(events)];
}
