import type { Dimensions, PricingCatalog } from '#core';
import { ModelPattern, normalLabel, priceEvent, type PriceableEvent } from '../prices/index.js';

/** A stored event, with the data that a re-rating needs. */
export interface RatedEvent extends PriceableEvent, Dimensions {
  id: string;
  userId: string;
  /** The user's department when the usage happened. */
  department: string | null;
  /** The access token of the request that caused the usage. */
  tokenId: string | null;
  /** The attribution under which the rollups count the event. */
  attributionId: string;
  /** The current cost: the stored cost plus all adjustments. */
  picodollars: bigint;
  /** The cost before discounts. */
  listPicodollars: bigint;
  /** The number of requests without a known price: all requests of the event, or 0. */
  unpricedRequests: number;
}

/** The adjustment that changes the cost of an event to its correct cost. */
export interface Adjustment {
  event: RatedEvent;
  /** Negative if the event becomes cheaper. */
  picodollars: bigint;
  /** The change of the cost before discounts. */
  listPicodollars: bigint;
  unpricedRequests: number;
  /** Source of the new price; null if the event has no price any more. */
  source: string | null;
  version: string | null;
}

/** The adjustment from the current cost of an event to its cost in a catalogue; null if both are equal. */
export function adjustmentOf(event: RatedEvent, catalog: PricingCatalog): Adjustment | null {
  const quote = priceEvent(catalog, event);
  const picodollars = (quote?.picodollars ?? 0n) - event.picodollars;
  const listPicodollars = (quote?.listPicodollars ?? quote?.picodollars ?? 0n) - event.listPicodollars;
  const unpricedRequests = (quote ? 0 : event.requests) - event.unpricedRequests;
  if (picodollars === 0n && listPicodollars === 0n && unpricedRequests === 0) return null;
  const { source = null, version = null } = quote ?? {};
  return { event, picodollars, listPicodollars, unpricedRequests, source, version };
}

/** Returns a filter for events of a provider and model. Null for either matches every value. */
export function scopeFilter(provider: string | null, model: string | null): (event: RatedEvent) => boolean {
  const label = normalLabel(provider);
  const pattern = model === null ? null : new ModelPattern(model);
  return event =>
    (label === null || normalLabel(event.provider) === label) && (pattern === null || pattern.matches(event.model));
}
