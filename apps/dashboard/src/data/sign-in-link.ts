import { pageAddress } from './address.ts';
import { ApiError } from './api-error.ts';
import { send } from './call.ts';
import { noteSession } from './signed-out.ts';

/**
 * The code of a sign-in link in the address. It is removed at once, so that it does not stay in the browser history.
 */
let code = takeCode();
let refusal: ApiError | undefined;

/**
 * Signs in with the sign-in link of the address, if there is one. If the link is no longer valid, nobody is signed in.
 */
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

/** Why the sign-in link of the address did not work. */
export function refusedLink(): ApiError | undefined {
  return refusal;
}

function takeCode(): string | null {
  const found = new URLSearchParams(location.hash.slice(1)).get('link');
  if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return found;
}
