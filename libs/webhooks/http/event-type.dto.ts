import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { EVENT_CATALOGUE, type CatalogueEntry } from '#outbox';

const [EXAMPLE] = EVENT_CATALOGUE;

/** A type of event. */
@ApiSchema({ name: 'GovernanceEventTypeResponseDto' })
export class EventTypeResponseDto
  extends dtoOf({
    type: f.of<CatalogueEntry['type']>({ type: String, example: EXAMPLE?.type }),
    description: f.text(EXAMPLE?.description ?? '', 'When events of this type are sent.'),
    schema: f.record<CatalogueEntry['schema']>(EXAMPLE?.schema, 'JSON Schema (draft 2020-12) of `data`.'),
    example: f.record<CatalogueEntry['example']>(EXAMPLE?.example, 'A complete event of this type.'),
  })
  implements CatalogueEntry {}
