import { pageAddress } from './address.ts';
import { ApiError } from './api-error.ts';
import { send } from './call.ts';
import { noteSession } from './signed-out.ts';

/**
 * The code in the address of a sign-in link. It is removed from the address at once, so that it does not stay in the
 * browser history.
 */
let code = takeCode();
let refusal: ApiError | undefined;

/** If the address is a sign-in link, signs in with it. If the link is no longer valid, nobody is signed in. */
export async function takeSignInLink(): Promise<void> {
  if (code === null) return;
  const link = code;
  code = null;
  try {
    await send(pageAddress('session'), 'POST', { link });
    noteSession();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusal = error;
  }
}

/** Explains why the sign-in link in the address did not work. */
export function refusedLink(): ApiError | undefined {
  return refusal;
}

function takeCode(): string | null {
  const found = new URLSearchParams(location.hash.slice(1)).get('link');
  if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return found;
}
