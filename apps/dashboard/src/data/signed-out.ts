import { IS_SIGNED_OUT } from './address.ts';

let signedOut = IS_SIGNED_OUT;

/** Whether this browser surely has no session. It then does not ask who is signed in: the console would show a refusal. */
export function isSignedOut(): boolean {
  return signedOut;
}

/** Notes that a session has begun. */
export function noteSession(): void {
  signedOut = false;
}
