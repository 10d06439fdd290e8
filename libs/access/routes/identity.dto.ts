import { ApiSchema } from '@nestjs/swagger';
import * as f from '../http/dto-fields.js';
import { dtoOf } from '../http/dto.js';
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
export class IdentityResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-6b20-7d4e-8c52-1e7f9a3b5d80'),
  user_id: f.uuid('0199c2a8-4a11-7e3c-b1d0-6c5f2e8a9b74'),
  issuer: f.text('https://login.example.com', 'The claim `iss` of the JWTs.'),
  subject: f.text('00u1a2b3c4d5', 'The claim `sub` of the JWTs.'),
  linked_at: f.instant('2026-11-20T13:00:00.000Z'),
  ended_at: f.instant(null, 'Time when the user left; null while the account may sign in.').nullable(),
}) {}

export const presentIdentity = presenterOf(IdentityResponseDto);
