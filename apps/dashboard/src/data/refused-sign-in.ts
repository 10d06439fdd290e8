import { ApiError } from './api-error.ts';

/** Explains why a sign-in at an identity provider failed, and what to do. The keys are the codes in the address. */
const REASONS: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long, was used already, or began in another browser. Try again.',
  unavailable: 'The identity provider does not respond. Try again later, or use an access token.',
  cancelled: 'The identity provider did not complete the sign-in. Try again, or use another account.',
  invalid: 'The response of the identity provider did not pass a check. Ask an administrator to see the log.',
  unverified_email:
    'The identity provider has not verified your email address. Verify it there, or ask an administrator.',
  unknown: 'Your account is not a user here. Ask an administrator to add you with the email address of your account.',
  no_role: 'Your account has no role here. Ask an administrator to add you to a group with access.',
  no_access: 'Your access has been suspended or has ended. Ask an administrator.',
  suspended: 'Your organization is suspended. Ask the operator of this service to resume it.',
  taken: 'Your email address is linked to another account. Ask an administrator to unlink it.',
  no_organization: 'Your account belongs to no organization here. Ask an administrator to check the settings.',
  too_many: 'Too many sign-ins from your address have failed. Wait a minute and try again.',
  failed: 'The sign-in failed. Try again later, or use an access token.',
};

const CODE = 'sign_in_error';
const REQUEST = 'request_id';

/**
 * The failure code in the address. It is removed from the address at once, so that it is not shown after the next
 * attempt.
 */
const refusal = takeRefusal();

/** Explains why the last sign-in at an identity provider failed. Undefined if none failed. */
export function refusedSignIn(): ApiError | undefined {
  return refusal;
}

function takeRefusal(): ApiError | undefined {
  const url = new URL(location.href);
  const code = url.searchParams.get(CODE);
  if (code === null) return undefined;
  const requestId = url.searchParams.get(REQUEST) ?? undefined;
  url.searchParams.delete(CODE);
  url.searchParams.delete(REQUEST);
  history.replaceState(history.state, '', url);
  // Anyone can create a link with such an address. Therefore, only known texts are shown.
  const message = Object.hasOwn(REASONS, code) ? REASONS[code] : REASONS['failed'];
  return new ApiError(401, message ?? '', isId(requestId) ? requestId : undefined);
}

function isId(text: string | undefined): boolean {
  return text !== undefined && /^[\w.-]{8,128}$/.test(text);
}
