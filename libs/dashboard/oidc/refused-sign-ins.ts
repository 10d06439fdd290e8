import { Injectable, Logger } from '@nestjs/common';
import { requestIdOf, SignInLimits, type HttpRequest } from '#access';
import { messageOf, RateLimitedError } from '#core';
import type { OidcAccount } from '../accounts/oidc-people.js';
import type { OidcProvider } from '../accounts/oidc-provider.js';
import { OidcRefusal, refusalOf } from '../accounts/oidc-refusal.js';
import { RefusalLog } from './refusal-log.js';
import { failedAddress } from './return-address.js';

/** A sign-in that failed. */
export interface FailedSignIn {
  readonly provider: OidcProvider;
  readonly returnTo: URL;
  readonly request: HttpRequest;
  /** The account that the provider returned; undefined if the sign-in failed before that. */
  readonly account?: OidcAccount | undefined;
}

/** Reasons whose cause is the provider or the settings. The operator must know of them. */
const FAULTS = new Set(['unavailable', 'invalid', 'no_organization', 'failed']);

/** Counts and logs refused sign-ins, and redirects the person back to the page. */
@Injectable()
export class RefusedSignIns {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly log: RefusalLog,
    private readonly limits: SignInLimits,
  ) {}

  /** The URL of the page that shows why the sign-in failed. */
  async addressAfter(error: unknown, failed: FailedSignIn): Promise<URL> {
    const refusal = this.counted(refusalOf(error), failed.request);
    const requestId = requestIdOf(failed.request);
    if (FAULTS.has(refusal.code)) {
      const cause = refusal.code === 'failed' ? ` ${messageOf(error)}` : '';
      this.logger.error(`Sign-in at ${failed.provider.id}, request ${requestId}: ${refusal.message}${cause}`);
    }
    // An outage of the provider does not count against the visitor.
    if (refusal.code !== 'unavailable') await this.log.write(refusal, failed);
    return failedAddress(failed.returnTo, refusal.code, requestId);
  }

  /** The refusal. If too many sign-ins from the address have failed, the refusal `too_many` instead. */
  private counted(refusal: OidcRefusal, request: HttpRequest): OidcRefusal {
    if (FAULTS.has(refusal.code)) return refusal;
    try {
      this.limits.countFailure(request);
      return refusal;
    } catch (error) {
      if (!(error instanceof RateLimitedError)) throw error;
      return new OidcRefusal('too_many', error.message);
    }
  }
}
