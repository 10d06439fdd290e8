import { OrganizationSuspendedError } from '#access';
import { UnauthorizedError } from '#core';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';

/**
 * Why a sign-in failed, as the URL of the page contains it. `expired`: took too long, was used already, or began in
 * another browser. `unavailable`: the provider did not respond. `cancelled`: the provider refused, or the person gave
 * up. `invalid`: the provider's response did not pass a check. All other codes are reasons about the person.
 */
export type OidcRefusalCode =
  | 'expired'
  | 'unavailable'
  | 'cancelled'
  | 'invalid'
  | 'unverified_email'
  | 'unknown'
  | 'no_role'
  | 'no_access'
  | 'suspended'
  | 'taken'
  | 'no_organization'
  | 'too_many'
  | 'failed';

/** A failed sign-in. The message is for the log: it contains no token and no code. */
export class OidcRefusal extends Error {
  constructor(
    readonly code: OidcRefusalCode,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** Codes for missing or unusable responses: an outage, or a proxy in between. */
const AWAY = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

/** Converts an error of the library to a refusal for the person. */
export function refusalOf(error: unknown): OidcRefusal {
  if (error instanceof OidcRefusal) return error;
  if (error instanceof OrganizationSuspendedError) return new OidcRefusal('suspended', error.message);
  if (error instanceof UnauthorizedError) return new OidcRefusal('no_access', error.message);
  // The error code is a word of the standard, so it may be logged. The description is free text of the provider.
  if (error instanceof AuthorizationResponseError) {
    return new OidcRefusal('cancelled', `The provider refused the sign-in: ${wordOf(error.error)}.`);
  }
  if (error instanceof ResponseBodyError) {
    const code = error.error === 'invalid_grant' ? 'expired' : 'invalid';
    return new OidcRefusal(code, `The provider refused the code: ${wordOf(error.error)}.`);
  }
  if (error instanceof ClientError) {
    const code = AWAY.has(error.code ?? '') ? 'unavailable' : 'invalid';
    return new OidcRefusal(code, `${error.message} (${error.code ?? 'no code'}).`);
  }
  // `fetch()` throws this error if there is no response.
  if (error instanceof TypeError) return new OidcRefusal('unavailable', 'The provider cannot be reached.');
  return new OidcRefusal('failed', 'The sign-in failed for a reason of this service.');
}

function wordOf(text: string): string {
  return /^[\w.-]{1,64}$/.test(text) ? text : 'an error without a known name';
}
