import { ApiSchema } from '@nestjs/swagger';
import { f, dtoOf } from '#access';
import { SERVICE_TIERS, type JsonObject } from '#core';
import type { StoredUsageEvent } from '../ingest/stored-events.service.js';
import { adjustedCost, type EventAdjustment } from '../rerating/event-adjustments.service.js';
import { EVENT_ID, tokens, USER_ID } from './usage-event.dto.js';

/** An adjustment of a stored event's cost by a re-rating. */
@ApiSchema({ name: 'GovernanceEventAdjustmentDto' })
class EventAdjustmentDto extends dtoOf({
  rerating_id: f.uuid('0199c2a8-9d10-7c3e-9a41-3f5d8e2b7c60'),
  cost_delta_usd: f.decimal(-0.0011, 'Change of the cost in US dollars; negative if the event became cheaper.'),
  list_cost_delta_usd: f.decimal(-0.0011, 'Change of the cost before contract discounts.'),
  unpriced_delta: f.integer(
    0,
    'Change in the number of requests without a known price; negative if they have one now.',
  ),
  price_source: f.text('override').nullable(),
  price_version: f.text('0199c2a8-8d10-7c3e-9a41-3f5d8e2b7c60:2').nullable(),
  created_at: f.instant('2026-11-21T08:00:00.000Z'),
}) {}

/** A stored usage event. */
@ApiSchema({ name: 'GovernanceStoredUsageEventDto' })
export class StoredUsageEventDto extends dtoOf({
  id: f.text(EVENT_ID),
  user_id: f.uuid(USER_ID),
  provider: f.text('openai'),
  model: f.text('gpt-4o'),
  occurred_at: f.instant('2026-11-20T12:59:03.000Z'),
  received_at: f.instant('2026-11-20T12:59:04.120Z'),
  input_tokens: f.of<number>(tokens('All prompt tokens, cached ones included.', 1_250)),
  output_tokens: f.of<number>(tokens('All completion tokens, reasoning included.', 310)),
  cache_read_tokens: f.of<number>(tokens('Input tokens read from a cache.', 1_000)),
  cache_write_tokens: f.of<number>(tokens('Input tokens written to a cache.', 0)),
  reasoning_tokens: f.of<number>(tokens('Output tokens used for reasoning.', 120)),
  requests: f.integer(1),
  service_tier: f.choice(SERVICE_TIERS, 'standard', 'The tier that served the request.'),
  region: f.text('eu-west-1', "The provider's region.").nullable(),
  cost_usd: f.decimal(0.0042, 'US dollars; null if the model has no known price for the tier.').nullable(),
  list_cost_usd: f.decimal(0.0048, 'The same before contract discounts.').nullable(),
  price_source: f
    .text(
      'genai-prices',
      'Source of the price: the name of a catalogue, `override` for your own price, `stated` if the sender stated it.',
    )
    .nullable(),
  price_version: f.text('0.1.8', 'Version of the catalogue or of your own price.').nullable(),
  decision_id: f.uuid(null).nullable(),
  department: f.text('Sales', "The user's department when the usage happened.").nullable(),
  project: f.text('copilot').nullable(),
  tags: f
    .of<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Tags as sent, even if reports count a value as `(other)`.',
      example: { team: 'search' },
    })
    .nullable(),
  token_id: f
    .uuid(
      '0199c2a8-7f10-7c3e-9a41-3f5d8e2b7c60',
      'The access token that asked for the decision; without one, the token that reported the usage.',
    )
    .nullable(),
  units: f.record<JsonObject>(null, 'Other billed units, such as searches.').nullable(),
  metadata: f.record<JsonObject>({ app: 'chat' }).nullable(),
  adjusted_cost_usd: f
    .decimal(0.0031, 'Cost in reports, in US dollars: cost_usd plus all adjustments. Null without a known price.')
    .nullable(),
  adjustments: f.listOf(EventAdjustmentDto, 'Adjustments by re-ratings, oldest first.'),
}) {}

/** Maps a stored event and its adjustments to the API. */
export function presentEvent(event: StoredUsageEvent, adjustments: readonly EventAdjustment[]): StoredUsageEventDto {
  const adjusted = adjustedCost(event, adjustments);
  return {
    ...event,
    adjusted_cost_usd: adjusted === null ? null : Number(adjusted),
    adjustments: adjustments.map(adjustment => ({
      ...adjustment,
      cost_delta_usd: Number(adjustment.cost_delta_usd),
      list_cost_delta_usd: Number(adjustment.list_cost_delta_usd),
      unpriced_delta: Number(adjustment.unpriced_delta),
    })),
    input_tokens: Number(event.input_tokens),
    output_tokens: Number(event.output_tokens),
    cache_read_tokens: Number(event.cache_read_tokens),
    cache_write_tokens: Number(event.cache_write_tokens),
    reasoning_tokens: Number(event.reasoning_tokens),
    requests: Number(event.requests),
    cost_usd: event.cost_usd === null ? null : Number(event.cost_usd),
    list_cost_usd: event.list_cost_usd === null ? null : Number(event.list_cost_usd),
  };
}
