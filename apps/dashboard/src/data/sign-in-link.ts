import { pageAddress } from './address.ts';
import { ApiError } from './api-error.ts';
import { send } from './call.ts';
import { noteSession } from './signed-out.ts';

/** The code of a sign-in link in the address. It is taken out at once: it must not stay in the history. */
let code = takeCode();
let refusal: ApiError | undefined;

/** Uses the sign-in link with which the page was opened, if there was one. Where it is good no more, nobody is signed in. */
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

/** Why the sign-in link with which the page was opened did not work. */
export function refusedLink(): ApiError | undefined {
  return refusal;
}

function takeCode(): string | null {
  const found = new URLSearchParams(location.hash.slice(1)).get('link');
  if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return found;
}
