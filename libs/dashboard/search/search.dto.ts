import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, TextField } from '#access';

/** Query of `GET /v1/search`. */
export class SearchQueryDto {
  @TextField({
    min: 2,
    max: 255,
    description: 'Part of a name, e-mail address or URL, compared without case; or a whole id.',
    example: 'ada',
  })
  q!: string;
}

/** A record that was found. */
@ApiSchema({ name: 'GovernanceFoundDto' })
export class FoundDto extends dtoOf({
  kind: f.text('user', 'Kind of the result, such as `user`, `policy` or `incident`.'),
  id: f.uuid('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33'),
  title: f.text('Ada Lovelace'),
  subtitle: f.text('ada@example.com').nullable(),
}) {}

/** The records that were found. */
@ApiSchema({ name: 'GovernanceSearchResponseDto' })
export class SearchResponseDto extends dtoOf({
  results: f.listOf(FoundDto, 'At most five of each kind.'),
}) {}
