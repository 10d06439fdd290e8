import { Injectable } from '@nestjs/common';
import { DecisionService } from '#policy';
import { UsageIngestion } from '#usage';
import type { CallRequest, OpenCall, OpenOptions } from './call.js';

/** Opens calls to providers: each is decided, covered while it runs, and settled or released once. */
@Injectable()
export class GovernedCalls {
  constructor(
    private readonly decisions: DecisionService,
    private readonly usage: UsageIngestion,
  ) {}

  /**
   * Decides a request and opens the call that it allows.
   * @throws RefusedError where it is not allowed
   * @throws UnavailableError where that cannot be decided at present and `onUnavailable` is `refuse`
   */
  open(orgId: string, request: CallRequest, options: OpenOptions = {}): Promise<OpenCall> {
    return Promise.reject(
      new Error(`not built yet: ${!!this.decisions}${!!this.usage}${orgId}${!!request}${!!options}`),
    );
  }
}
