import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson } from '#core';
import { OrgRecord } from '#database';
import { EVENT_TYPES } from '#outbox';
import type { WebhookDraft } from './webhook-rules.js';

const HOUR_MS = 3_600_000;

/** An endpoint to which a subscriber receives events. */
@Entity({ tableName: 'webhooks', schema: 'governance' })
export class Webhook extends OrgRecord {
  @Property({ type: 'text' })
  url!: string;

  /**
   * Subscribed types without duplicates. Null means all types, including types that later versions add, but without
   * types that must be named.
   */
  @Property({ type: 'text[]', nullable: true })
  events!: string[] | null;

  @Property({ type: 'text', nullable: true })
  description!: string | null;

  /** Whether deliveries are sent. While false, they wait. */
  @Property({ type: 'boolean' })
  enabled!: boolean;

  /** Version of the signing secret: 1 at first, and incremented by each rotation. */
  @Property({ type: 'integer' })
  secretVersion!: number;

  /** Time until which the previous secret signs too; null if there is no previous secret. */
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

  /**
   * Records a rotation. The replaced secret also signs for the given number of hours. A secret that was replaced before
   * stops signing at once.
   */
  rotateSecret(overlapHours: number, now: Date): void {
    this.secretVersion += 1;
    this.previousSecretUntil = overlapHours > 0 ? new Date(now.getTime() + overlapHours * HOUR_MS) : null;
    this.touch(now);
  }

  /** The event types that this version sends to the webhook. */
  get subscribedEvents(): readonly string[] {
    return this.events ?? EVENT_TYPES;
  }

  /** End of the overlap, during which the previous secret signs too; null if the overlap has ended. */
  overlapEnd(now: Date): Date | null {
    const until = this.previousSecretUntil;
    return until !== null && until > now ? until : null;
  }

  /**
   * Whether the given list is the one that the API shows for "all types". A client that sends it back still means all
   * types.
   */
  private showsAs(events: WebhookDraft['events']): boolean {
    const named = new Set<string>(choiceOf(events));
    return this.events === null && named.size === EVENT_TYPES.length && EVENT_TYPES.every(type => named.has(type));
  }

  /** Sets `updatedAt` to now, but at least one millisecond later than before, even if the clock was set back. */
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
