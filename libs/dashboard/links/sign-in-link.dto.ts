import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, IntegerField } from '#access';
import type { SignInLink } from './sign-in-links.js';

const DEFAULT_MINUTES = 10;
const MAX_MINUTES = 24 * 60;

/** Body to create a sign-in link. */
@ApiSchema({ name: 'GovernanceMakeSignInLinkDto' })
export class MakeSignInLinkDto {
  @IntegerField({
    min: 1,
    max: MAX_MINUTES,
    optional: true,
    default: DEFAULT_MINUTES,
    description: 'Minutes after which an unused link expires.',
    example: DEFAULT_MINUTES,
  })
  expires_in_minutes: number = DEFAULT_MINUTES;
}

/** A link that signs one browser in. */
@ApiSchema({ name: 'GovernanceSignInLinkResponseDto' })
export class SignInLinkResponseDto extends dtoOf({
  code: f.text(
    'AZnCqH8AejGdQltebwyKIQ<42 letters, digits, - and _>',
    'Append `#link=<code>` to the address of the dashboard and open it. The code is shown only here.',
  ),
  expires_at: f.instant('2026-11-20T13:10:00.000Z'),
}) {}

export function presentLink({ code, expiresAt }: SignInLink): SignInLinkResponseDto {
  return { code, expires_at: expiresAt.toISOString() };
}
