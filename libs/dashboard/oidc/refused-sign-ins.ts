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
  /** The account that the provider returned; undefined if the sign-in failed before. */
  readonly account?: OidcAccount | undefined;
}

/** Causes at the provider or in the settings, which the operator should know. */
const FAULTS = new Set(['unavailable', 'invalid', 'no_organization', 'failed']);

/** Counts and logs refused sign-ins, and redirects the person back to the page. */
@Injectable()
export class RefusedSignIns {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly log: RefusalLog,
    private readonly limits: SignInLimits,
  ) {}

  /** The address of the page that shows why the sign-in failed. */
  async addressAfter(error: unknown, failed: FailedSignIn): Promise<URL> {
    const refusal = this.counted(refusalOf(error), failed.request);
    const requestId = requestIdOf(failed.request);
    if (FAULTS.has(refusal.code)) {
      const cause = refusal.code === 'failed' ? ` ${messageOf(error)}` : '';
      this.logger.error(`Sign-in at ${failed.provider.id}, request ${requestId}: ${refusal.message}${cause}`);
    }
    // An outage of the provider is not the visitor's fault.
    if (refusal.code !== 'unavailable') await this.log.write(refusal, failed);
    return failedAddress(failed.returnTo, refusal.code, requestId);
  }

  /** The refusal, or another one if too many sign-ins have failed from the address. */
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
