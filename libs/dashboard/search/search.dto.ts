import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { TextField } from '#access';

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

/** A result. */
@ApiSchema({ name: 'GovernanceFoundDto' })
export class FoundDto {
  @ApiProperty({ description: 'Kind of the result, such as `user`, `policy` or `incident`.', example: 'user' })
  kind!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33' })
  id!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  title!: string;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  subtitle!: string | null;
}

/** The results. */
@ApiSchema({ name: 'GovernanceSearchResponseDto' })
export class SearchResponseDto {
  @ApiProperty({ type: [FoundDto], description: 'At most five of each kind.' })
  results!: FoundDto[];
}
