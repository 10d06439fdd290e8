import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { JsonObject } from '#core';
import type { StoredUsageEvent } from '../ingest/stored-events.service.js';
import { adjustedCost, type EventAdjustment } from '../rerating/event-adjustments.service.js';
import { EVENT_ID, tokens, USER_ID } from './usage-event.dto.js';

/** A correction of what a stored event costs, made by a re-rating. */
@ApiSchema({ name: 'GovernanceEventAdjustmentDto' })
export class EventAdjustmentDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-9d10-7c3e-9a41-3f5d8e2b7c60' })
  rerating_id!: string;

  @ApiProperty({
    type: Number,
    description: 'US dollars that the event costs more than before; less where it is negative.',
    example: -0.0011,
  })
  cost_delta_usd!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Requests that have no known price any more; negative where they have one now.',
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

  @ApiProperty(tokens('Input tokens that were read from a cache.', 1_000))
  cache_read_tokens!: number;

  @ApiProperty(tokens('Input tokens that were written to a cache.', 0))
  cache_write_tokens!: number;

  @ApiProperty(tokens('Output tokens that were spent on reasoning.', 120))
  reasoning_tokens!: number;

  @ApiProperty({ type: 'integer', example: 1 })
  requests!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'US dollars; null where the model has no known price.',
    example: 0.0042,
  })
  cost_usd!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Where the price came from: a catalogue by name, `override` for your own price, `stated` by the sender.',
    example: 'genai-prices',
  })
  price_source!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Version of the catalogue or of the own price.',
    example: '0.1.8',
  })
  price_version!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  decision_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The person's department when the usage happened.",
    example: 'Sales',
  })
  department!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'copilot' })
  project!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: 'As they were sent, also where reports count a value as `(other)`.',
    example: { team: 'search' },
  })
  tags!: Record<string, string> | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The access token that the usage was made with, or else reported with.',
    example: '0199c2a8-7f10-7c3e-9a41-3f5d8e2b7c60',
  })
  token_id!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What else the provider bills by.',
    example: null,
  })
  units!: JsonObject | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { app: 'chat' } })
  metadata!: JsonObject | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'US dollars that count in reports: cost_usd with all adjustments; null while there is no known price.',
    example: 0.0031,
  })
  adjusted_cost_usd!: number | null;

  @ApiProperty({ type: [EventAdjustmentDto], description: 'What re-ratings have added, the first one first.' })
  adjustments!: EventAdjustmentDto[];
}

/** A stored event on the wire, with what re-ratings have added to its cost. */
export function presentEvent(event: StoredUsageEvent, adjustments: readonly EventAdjustment[]): StoredUsageEventDto {
  const adjusted = adjustedCost(event, adjustments);
  return {
    ...event,
    adjusted_cost_usd: adjusted === null ? null : Number(adjusted),
    adjustments: adjustments.map(adjustment => ({
      ...adjustment,
      cost_delta_usd: Number(adjustment.cost_delta_usd),
      unpriced_delta: Number(adjustment.unpriced_delta),
    })),
    input_tokens: Number(event.input_tokens),
    output_tokens: Number(event.output_tokens),
    cache_read_tokens: Number(event.cache_read_tokens),
    cache_write_tokens: Number(event.cache_write_tokens),
    reasoning_tokens: Number(event.reasoning_tokens),
    requests: Number(event.requests),
    cost_usd: event.cost_usd === null ? null : Number(event.cost_usd),
  };
}
