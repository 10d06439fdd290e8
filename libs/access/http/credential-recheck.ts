import { Injectable } from '@nestjs/common';
import { within } from '#core';
import type { Actor, Principal } from '../principals/principal.js';
import { RequestPrincipals } from '../sign-in/request-principals.js';
import type { HttpRequest } from '../request/http-request.js';

/** Timeout of a check, in milliseconds. A late check counts as failed. */
const ANSWER_MS = 1_000;

/** Whether the credential would be accepted now. Never rejects: the result is false if the check itself fails. */
export type IsStillAllowed = () => Promise<boolean>;

/** Checks the credential again while a long response, such as a stream, is sent. */
@Injectable()
export class CredentialRecheck {
  constructor(private readonly principals: RequestPrincipals) {}

  /**
   * Returns a function that repeats the authentication of the request. The result is true if the credential still
   * belongs to the same user and has all its former scopes.
   * @param actor the actor that the guard accepted
   */
  of(request: HttpRequest, actor: Actor): IsStillAllowed {
    return async () => {
      try {
        const now = await within(ANSWER_MS, this.principals.resolve(request));
        return now !== null && isAsGood(now, actor);
      } catch {
        // The stream ends without an error. The client reconnects, and that request receives the error.
        return false;
      }
    };
  }
}

function isAsGood(now: Principal, before: Principal): boolean {
  if (now.orgId !== before.orgId || now.userId !== before.userId) return false;
  return [...before.scopes].every(scope => now.scopes.has(scope));
}
