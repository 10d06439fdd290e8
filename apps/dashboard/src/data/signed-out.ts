import { IS_SIGNED_OUT } from './address.ts';

let signedOut = IS_SIGNED_OUT;

/**
 * Whether this browser certainly has no session. The page then does not ask who is signed in, which would log an error
 * in the console.
 */
export function isSignedOut(): boolean {
  return signedOut;
}

/** Notes that a session has started. */
export function noteSession(): void {
  signedOut = false;
}
