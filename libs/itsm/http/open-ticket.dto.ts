import { ApiSchema } from '@nestjs/swagger';
import { FlagField, TextField, UuidField } from '#access';

const CONNECTOR = '0199c2a8-e105-7b3c-9d24-6a8f0c5e7b19';

/** Body of `POST /v1/incidents/{id}/tickets`. */
@ApiSchema({ name: 'GovernanceOpenTicketDto' })
export class OpenTicketDto {
  @UuidField({
    optional: true,
    description: 'The connector to use. Optional if only one is active.',
    example: CONNECTOR,
  })
  connector_id?: string;

  @FlagField({ optional: true, default: false, description: 'Only preview the ticket.', example: false })
  preview?: boolean;

  @TextField({ max: 500, optional: true, description: 'Preview with this title template instead of the connector’s.' })
  title_template?: string;

  @TextField({ max: 4_000, optional: true, description: 'Preview with this text template instead of the connector’s.' })
  text_template?: string;
}
