import { Injectable } from '@nestjs/common';
import { within } from '#core';
import type { Actor, Principal } from '../principals/principal.js';
import { RequestPrincipals } from '../sign-in/request-principals.js';
import type { HttpRequest } from '../request/http-request.js';

/** A check of a credential that takes longer than this counts as failed. */
const ANSWER_MS = 1_000;

/** Whether the request would be let in again now. Never rejects: if that cannot be found out, the result is false. */
export type IsStillAllowed = () => Promise<boolean>;

/** For long answers, such as streams: checks again whether the credential of their request is still valid. */
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
