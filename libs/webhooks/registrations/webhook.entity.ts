import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson } from '#core';
import { EVENT_TYPES } from '#outbox';
import type { WebhookDraft } from './webhook-rules.js';

const HOUR_MS = 3_600_000;

/** An endpoint of a subscriber. */
@Entity({ tableName: 'webhooks', schema: 'governance' })
export class Webhook {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'text' })
  url!: string;

  /** Each type once, in the order given; null: all, those of later versions included, but not those to be named. */
  @Property({ type: 'text[]', nullable: true })
  events!: string[] | null;

  @Property({ type: 'text', nullable: true })
  description!: string | null;

  /** While it is false, deliveries wait. */
  @Property({ type: 'boolean' })
  enabled!: boolean;

  /** 1 on registration, one more with each rotation. */
  @Property({ type: 'integer' })
  secretVersion!: number;

  /** Until then the secret before the present one signs as well; null where there is none. */
  @Property({ type: 'timestamptz', nullable: true })
  previousSecretUntil!: Date | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** A new webhook with its first secret. */
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

  /** Changes what is supplied; whether anything differs from what was there. */
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

  /** Counts a new secret. The one before signs beside it for so many hours, and the one before that no longer. */
  rotateSecret(overlapHours: number, now: Date): void {
    this.secretVersion += 1;
    this.previousSecretUntil = overlapHours > 0 ? new Date(now.getTime() + overlapHours * HOUR_MS) : null;
    this.touch(now);
  }

  /** The types that it subscribes to, as this version knows them; those to be named are in no other choice. */
  get subscribedEvents(): readonly string[] {
    return this.events ?? EVENT_TYPES;
  }

  /** Until when the previous secret signs; null once that is over. */
  overlapEnd(now: Date): Date | null {
    const until = this.previousSecretUntil;
    return until !== null && until > now ? until : null;
  }

  /** Whether a client wrote back the list of types that it was shown for "all types". That still means all types. */
  private showsAs(events: WebhookDraft['events']): boolean {
    const named = new Set<string>(choiceOf(events));
    return this.events === null && named.size === EVENT_TYPES.length && EVENT_TYPES.every(type => named.has(type));
  }

  /** By a millisecond at least, also when the clock has not moved or was set back. */
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
