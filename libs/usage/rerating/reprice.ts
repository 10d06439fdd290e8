import type { PricingCatalog } from '#core';
import { ModelPattern, normalLabel, priceEvent, type PriceableEvent } from '../prices/index.js';

/** A stored event as re-rating sees it. */
export interface RatedEvent extends PriceableEvent {
  id: string;
  userId: string;
  /** The person's department when the usage happened. */
  department: string | null;
  /** How it counts in rollups. */
  attributionId: string;
  /** What it costs now: as it was stored, with all adjustments since. */
  picodollars: bigint;
  /** Its requests where it has no known price now, otherwise 0. */
  unpricedRequests: number;
}

/** What must be added to an event for it to cost what it should. */
export interface Adjustment {
  event: RatedEvent;
  /** Negative where it becomes cheaper. */
  picodollars: bigint;
  unpricedRequests: number;
  /** Where the new price comes from; null where there is none any more. */
  source: string | null;
  version: string | null;
}

/** The difference between what an event costs and what it would cost by a catalogue; null where there is none. */
export function adjustmentOf(event: RatedEvent, catalog: PricingCatalog): Adjustment | null {
  const quote = priceEvent(catalog, event);
  const picodollars = (quote?.picodollars ?? 0n) - event.picodollars;
  const unpricedRequests = (quote ? 0 : event.requests) - event.unpricedRequests;
  if (picodollars === 0n && unpricedRequests === 0) return null;
  return { event, picodollars, unpricedRequests, source: quote?.source ?? null, version: quote?.version ?? null };
}

/** Tells the events of a provider and model; null stands for all of them. */
export function scopeFilter(provider: string | null, model: string | null): (event: RatedEvent) => boolean {
  const label = normalLabel(provider);
  const pattern = model === null ? null : new ModelPattern(model);
  return event =>
    (label === null || normalLabel(event.provider) === label) && (pattern === null || pattern.matches(event.model));
}
