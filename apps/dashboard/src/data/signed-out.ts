import { IS_SIGNED_OUT } from './address.ts';

let signedOut = IS_SIGNED_OUT;

/**
 * Whether it is certain that this browser has no session. In that case, the page does not ask the server who is signed
 * in. The request would fail and log an error in the console.
 */
export function isSignedOut(): boolean {
  return signedOut;
}

/** Records that a session has started. */
export function noteSession(): void {
  signedOut = false;
}
