import { Inject, Injectable } from '@nestjs/common';
import { Clock, newId, SpendGuard } from '#core';
import type { Decision } from '#policy';
import type { CallRequest, OpenCall, OpenOptions, UnavailableChoice } from './call.js';
import { CallLedger } from './call-ledger.js';
import { CALLS_OPTIONS, type CallsOptions } from './calls.options.js';
import { LiveCall } from './live-call.js';
import { OpenPasses } from './open-passes.js';

/** Creates the calls of this process. */
@Injectable()
export class LiveCalls {
  constructor(
    readonly ledger: CallLedger,
    readonly passes: OpenPasses,
    readonly spend: SpendGuard,
    private readonly clock: Clock,
    @Inject(CALLS_OPTIONS) private readonly options: CallsOptions,
  ) {}

  /** Starts a call. `decision` is undefined if the call was allowed without a decision. */
  begin(orgId: string, request: CallRequest, decision: Decision | undefined, options: OpenOptions): OpenCall {
    const { em, tx, caller } = options;
    const now = this.clock.now();
    const terms = {
      onUnavailable: this.choiceOf(options),
      ...((em ?? tx) ? { host: { ...(em && { em }), ...(tx && { tx }) } } : {}),
    };
    return new LiveCall(
      { id: newId(now), orgId, request, tokenId: caller?.tokenId, decision, openedAt: now },
      terms,
      this,
    );
  }

  /** What to do with a call while no decision can be made. */
  choiceOf({ onUnavailable }: OpenOptions): UnavailableChoice {
    return onUnavailable ?? this.options.onUnavailable ?? 'refuse';
  }
}
