import type { PricedTokens, ServiceTier, Tags } from '#core';

/** A usage event as a host reports it: in the form of `POST /v1/usage/events`. */
export interface UsageEventInput {
  /** Idempotency key: events with the same id are counted once. */
  readonly id: string;
  /** The user who caused the usage. Give the id or the address; if both are given, the address is ignored. */
  readonly user_id?: string | null;
  readonly user_email?: string | null;
  readonly provider: string;
  readonly model: string;
  /** ISO 8601 with a time zone, such as `2026-11-20T13:00:00Z`. */
  readonly occurred_at: string;
  /** Number of input tokens, including the cached tokens. Required without `usage`. */
  readonly input_tokens?: number | null;
  /** Number of output tokens, including the reasoning tokens. Required without `usage`. */
  readonly output_tokens?: number | null;
  readonly cache_read_tokens?: number | null;
  readonly cache_write_tokens?: number | null;
  readonly reasoning_tokens?: number | null;
  /** The usage object of the provider's answer, instead of token counts. */
  readonly usage?: object | null;
  /** Format of `usage`, if the provider has several. */
  readonly api_flavor?: string | null;
  /** Number of requests that the counts cover. Default: 1. */
  readonly requests?: number | null;
  /** The cost, if you know it better than the price list does. */
  readonly cost_usd?: number | string | null;
  /** The tier that served the request. Default: the tier that `usage` names, or standard if it names none. */
  readonly service_tier?: ServiceTier | null;
  /** The provider's region that served the request. Default: the region that `usage` names. */
  readonly region?: string | null;
  /** The id of the decision whose reservation this event settles. */
  readonly decision_id?: string | null;
  /** Project of the usage. Default: the project of the decision. */
  readonly project?: string | null;
  /** Up to 8 labels to group by. Default: the tags of the decision. */
  readonly tags?: Readonly<Record<string, string>> | null;
  readonly metadata?: object | null;
}

/** Token counts of an event, one for each token class. */
export interface EventTokens extends PricedTokens {
  cache_read_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
}

/** A usage event that passed every check, in one normalized form. */
export interface ParsedUsageEvent {
  id: string;
  /** The id, in lower case, names the user even if an address is given too. At least one of the two is given. */
  userId: string | null;
  /** In lower case. */
  userEmail: string | null;
  provider: string;
  model: string;
  occurredAt: Date;
  /** Totals over all requests of the event. */
  tokens: EventTokens;
  requests: number;
  serviceTier: ServiceTier;
  /** Null if the value is not known. */
  region: string | null;
  /** The cost stated by the sender, which overrides the catalogue; null if none was stated. */
  costPicodollars: bigint | null;
  /** In lower case. */
  decisionId: string | null;
  project: string | null;
  tags: Tags | null;
  /** Canonical JSON text of the metadata object: equal objects have equal texts. */
  metadataJson: string | null;
}

/** Why an event was rejected: the path of the field within the event, and how to correct it. */
export interface EventRefusal {
  /** The event's id, if it is valid. */
  id: string | null;
  field: string;
  message: string;
}

/** The result of one event. */
export type ParseResult = { ok: true; event: ParsedUsageEvent } | ({ ok: false } & EventRefusal);

/** Maximum difference between the time of an event and now; null removes the limit (for imports of past usage). */
export interface EventTimeLimits {
  maxAgeMs: number | null;
  maxAheadMs: number | null;
  /** Minimum number of requests that an event covers. Default: 1. Use 0 for events that complete other events. */
  leastRequests?: 0 | 1;
}

/** Events may be at most 90 days old, and at most 5 minutes in the future. */
export const DEFAULT_TIME_LIMITS: EventTimeLimits = { maxAgeMs: 90 * 86_400_000, maxAheadMs: 5 * 60_000 };

/** For imports: allows any time in the years 1970 to 9999. */
export const NO_TIME_LIMITS: EventTimeLimits = { maxAgeMs: null, maxAheadMs: null };

/** Maximum token count of an event. Sums of nine million such events fit 64 bits. */
export const MAX_EVENT_TOKENS = 1_000_000_000_000;

/** Maximum number of requests in one event. */
export const MAX_EVENT_REQUESTS = 1_000_000_000;

/** Maximum stated cost of one event, in US dollars. */
export const MAX_EVENT_COST_USD = 1_000_000;
