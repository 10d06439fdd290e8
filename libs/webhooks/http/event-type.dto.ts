import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EVENT_CATALOGUE, type CatalogueEntry } from '#outbox';

const [EXAMPLE] = EVENT_CATALOGUE;

/** A type of event. */
@ApiSchema({ name: 'GovernanceEventTypeResponseDto' })
export class EventTypeResponseDto implements CatalogueEntry {
  @ApiProperty({ type: String, example: EXAMPLE?.type })
  type!: CatalogueEntry['type'];

  @ApiProperty({ description: 'When events of this type are sent.', example: EXAMPLE?.description })
  description!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (draft 2020-12) of `data`.',
    example: EXAMPLE?.schema,
  })
  schema!: CatalogueEntry['schema'];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'A complete event of this type.',
    example: EXAMPLE?.example,
  })
  example!: CatalogueEntry['example'];
}
