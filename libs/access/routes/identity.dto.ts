import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { UuidField } from '../http/field.decorators.js';
import { PageQueryDto } from '../http/page.dto.js';
import { presenterOf } from '../http/presenter.js';

/** Query of `GET /v1/identities`. */
export class ListIdentitiesQueryDto extends PageQueryDto {
  @UuidField({ optional: true, description: 'Restrict to one user.' })
  user_id?: string;
}

/** The link between an account at an identity provider and a user. */
@ApiSchema({ name: 'GovernanceIdentityResponseDto' })
export class IdentityResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-6b20-7d4e-8c52-1e7f9a3b5d80' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-4a11-7e3c-b1d0-6c5f2e8a9b74' })
  user_id!: string;

  @ApiProperty({ description: 'The claim `iss` of the JWTs.', example: 'https://login.example.com' })
  issuer!: string;

  @ApiProperty({ description: 'The claim `sub` of the JWTs.', example: '00u1a2b3c4d5' })
  subject!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  linked_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time when the user left; null while the account may sign in.',
    example: null,
  })
  ended_at!: string | null;
}

export const presentIdentity = presenterOf(IdentityResponseDto);
