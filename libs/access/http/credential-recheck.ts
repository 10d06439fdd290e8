import { Injectable } from '@nestjs/common';
import { within } from '#core';
import type { Actor, Principal } from '../principals/principal.js';
import { RequestPrincipals } from '../sign-in/request-principals.js';
import type { HttpRequest } from '../request/http-request.js';

/** Whoever takes longer than this to say whether a credential holds has not said so. */
const ANSWER_MS = 1_000;

/** Whether what was let in would be let in again now. Never fails: where that cannot be known, it is not. */
export type IsStillAllowed = () => Promise<boolean>;

/** For answers that go on after their request was let in: asks again whether its credential still holds. */
@Injectable()
export class CredentialRecheck {
  constructor(private readonly principals: RequestPrincipals) {}

  /**
   * Asks whether the credential of a request is still that of the same user and has lost none of the scopes it had.
   * @param actor whom the guard accepted for the request
   */
  of(request: HttpRequest, actor: Actor): IsStillAllowed {
    return async () => {
      try {
        const now = await within(ANSWER_MS, this.principals.resolve(request));
        return now !== null && isAsGood(now, actor);
      } catch {
        // The client connects again and receives the error.
        return false;
      }
    };
  }
}

function isAsGood(now: Principal, before: Principal): boolean {
  if (now.orgId !== before.orgId || now.userId !== before.userId) return false;
  return [...before.scopes].every(scope => now.scopes.has(scope));
}
