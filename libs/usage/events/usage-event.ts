import type { PricedTokens, Tags } from '#core';

/** A usage event as a host reports it: in the form of `POST /v1/usage/events`. */
export interface UsageEventInput {
  /** Names the event: what is reported again under one id counts once. */
  readonly id: string;
  /** The person. One of both must be given; beside the id, the address is not looked at. */
  readonly user_id?: string | null;
  readonly user_email?: string | null;
  readonly provider: string;
  readonly model: string;
  /** ISO 8601 with a time zone, such as `2026-11-20T13:00:00Z`. */
  readonly occurred_at: string;
  /** Needed where `usage` is missing; includes the cached tokens. */
  readonly input_tokens?: number | null;
  /** Needed where `usage` is missing; includes the reasoning tokens. */
  readonly output_tokens?: number | null;
  readonly cache_read_tokens?: number | null;
  readonly cache_write_tokens?: number | null;
  readonly reasoning_tokens?: number | null;
  /** The usage object as the provider answered it, instead of token counts. */
  readonly usage?: object | null;
  /** How `usage` is to be read where the provider has several forms. */
  readonly api_flavor?: string | null;
  /** How many requests the counts add up. Default: 1. */
  readonly requests?: number | null;
  /** The cost, where it is known better than by the price list. */
  readonly cost_usd?: number | string | null;
  /** The decision whose reservation this settles. */
  readonly decision_id?: string | null;
  /** What the usage is for. Default: the project of the decision. */
  readonly project?: string | null;
  /** Up to 8 labels to group by. Default: the tags of the decision. */
  readonly tags?: Readonly<Record<string, string>> | null;
  readonly metadata?: object | null;
}

/** Tokens of an event with every class stated. */
export interface EventTokens extends PricedTokens {
  cache_read_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
}

/** A usage event that passed every check, in one form whichever way it was sent. */
export interface ParsedUsageEvent {
  id: string;
  /** In lower case. Where both are given, the id names the person. At least one is given. */
  userId: string | null;
  /** In lower case. */
  userEmail: string | null;
  provider: string;
  model: string;
  occurredAt: Date;
  /** Totals over all requests of the event. */
  tokens: EventTokens;
  requests: number;
  /** The cost stated by the sender, which overrides the catalogue; null where it stated none. */
  costPicodollars: bigint | null;
  /** In lower case. */
  decisionId: string | null;
  project: string | null;
  tags: Tags | null;
  /** Canonical JSON text of the metadata object: equal objects have equal texts. */
  metadataJson: string | null;
}

/** Why an event was not taken: the field, relative to the event, and what to change. */
export interface EventRefusal {
  /** The event's id where it has a usable one. */
  id: string | null;
  field: string;
  message: string;
}

/** The outcome for one event. */
export type ParseResult = { ok: true; event: ParsedUsageEvent } | ({ ok: false } & EventRefusal);

/** How far from now an event may lie; null lifts the limit (imports of history). */
export interface EventTimeLimits {
  maxAgeMs: number | null;
  maxAheadMs: number | null;
  /** The fewest requests of an event. Default: 1; 0 for events that complete others. */
  leastRequests?: 0 | 1;
}

/** 90 days back, 5 minutes ahead. */
export const DEFAULT_TIME_LIMITS: EventTimeLimits = { maxAgeMs: 90 * 86_400_000, maxAheadMs: 5 * 60_000 };

/** For imports: any time in the years 1970 to 9999. */
export const NO_TIME_LIMITS: EventTimeLimits = { maxAgeMs: null, maxAheadMs: null };

/** Largest token count of an event: nine million such events still fit a 64-bit sum. */
export const MAX_EVENT_TOKENS = 1_000_000_000_000;

/** Most requests that one event may stand for. */
export const MAX_EVENT_REQUESTS = 1_000_000_000;

/** Largest stated cost of one event, in US dollars. */
export const MAX_EVENT_COST_USD = 1_000_000;
