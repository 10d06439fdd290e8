import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { SERVICE_TIERS, type JsonObject, type ServiceTier } from '#core';
import type { StoredUsageEvent } from '../ingest/stored-events.service.js';
import { adjustedCost, type EventAdjustment } from '../rerating/event-adjustments.service.js';
import { EVENT_ID, tokens, USER_ID } from './usage-event.dto.js';

/** An adjustment of a stored event's cost by a re-rating. */
@ApiSchema({ name: 'GovernanceEventAdjustmentDto' })
export class EventAdjustmentDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-9d10-7c3e-9a41-3f5d8e2b7c60' })
  rerating_id!: string;

  @ApiProperty({
    type: Number,
    description: 'Change of the cost in US dollars; negative if the event became cheaper.',
    example: -0.0011,
  })
  cost_delta_usd!: number;

  @ApiProperty({ type: Number, description: 'Change of the cost before contract discounts.', example: -0.0011 })
  list_cost_delta_usd!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Change in the number of requests without a known price; negative if they have one now.',
    example: 0,
  })
  unpriced_delta!: number;

  @ApiProperty({ type: String, nullable: true, example: 'override' })
  price_source!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '0199c2a8-8d10-7c3e-9a41-3f5d8e2b7c60:2' })
  price_version!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T08:00:00.000Z' })
  created_at!: string;
}

/** A stored usage event. */
@ApiSchema({ name: 'GovernanceStoredUsageEventDto' })
export class StoredUsageEventDto {
  @ApiProperty({ example: EVENT_ID })
  id!: string;

  @ApiProperty({ format: 'uuid', example: USER_ID })
  user_id!: string;

  @ApiProperty({ example: 'openai' })
  provider!: string;

  @ApiProperty({ example: 'gpt-4o' })
  model!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:59:03.000Z' })
  occurred_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:59:04.120Z' })
  received_at!: string;

  @ApiProperty(tokens('All prompt tokens, cached ones included.', 1_250))
  input_tokens!: number;

  @ApiProperty(tokens('All completion tokens, reasoning included.', 310))
  output_tokens!: number;

  @ApiProperty(tokens('Input tokens read from a cache.', 1_000))
  cache_read_tokens!: number;

  @ApiProperty(tokens('Input tokens written to a cache.', 0))
  cache_write_tokens!: number;

  @ApiProperty(tokens('Output tokens used for reasoning.', 120))
  reasoning_tokens!: number;

  @ApiProperty({ type: 'integer', example: 1 })
  requests!: number;

  @ApiProperty({ enum: SERVICE_TIERS, description: 'The tier that served the request.', example: 'standard' })
  service_tier!: ServiceTier;

  @ApiProperty({ type: String, nullable: true, description: "The provider's region.", example: 'eu-west-1' })
  region!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'US dollars; null if the model has no known price for the tier.',
    example: 0.0042,
  })
  cost_usd!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'The same before contract discounts.', example: 0.0048 })
  list_cost_usd!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Source of the price: the name of a catalogue, `override` for your own price, `stated` if the sender stated it.',
    example: 'genai-prices',
  })
  price_source!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Version of the catalogue or of your own price.',
    example: '0.1.8',
  })
  price_version!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  decision_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The user's department when the usage happened.",
    example: 'Sales',
  })
  department!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'copilot' })
  project!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: 'Tags as sent, even if reports count a value as `(other)`.',
    example: { team: 'search' },
  })
  tags!: Record<string, string> | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The access token that asked for the decision; without one, the token that reported the usage.',
    example: '0199c2a8-7f10-7c3e-9a41-3f5d8e2b7c60',
  })
  token_id!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Other billed units, such as searches.',
    example: null,
  })
  units!: JsonObject | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { app: 'chat' } })
  metadata!: JsonObject | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Cost in reports, in US dollars: cost_usd plus all adjustments. Null without a known price.',
    example: 0.0031,
  })
  adjusted_cost_usd!: number | null;

  @ApiProperty({ type: [EventAdjustmentDto], description: 'Adjustments by re-ratings, oldest first.' })
  adjustments!: EventAdjustmentDto[];
}

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
