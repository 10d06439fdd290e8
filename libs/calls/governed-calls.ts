import { Injectable, Logger } from '@nestjs/common';
import { messageOf, UnavailableError, within } from '#core';
import { boundInput, DecisionService, parseDecision, type Decision } from '#policy';
import { usageOfAnswer } from './answer-usage.js';
import type { CallRequest, CallUsage, OpenCall, OpenOptions } from './call.js';
import { isAway } from './live-call.js';
import { LiveCalls } from './live-calls.js';
import { OpenPasses } from './open-passes.js';
import { RefusedError } from './refused.errors.js';

/** Arguments of the function that makes a call. */
export interface CallMade {
  /** The decision. Undefined if no decision could be made and `onUnavailable` is `allow`. */
  readonly decision: Decision | undefined;
  /** The signal that aborts the call. Pass it to the provider's SDK. */
  readonly signal: AbortSignal | undefined;
}

/** Options of a call. With `em` or `tx`, everything that is recorded belongs to that transaction of the host. */
export interface CallOptions<Result> extends OpenOptions {
  /** Calls the provider. Called once, if the request is allowed. */
  readonly run: (made: CallMade) => Promise<Result>;
  /**
   * Reads the usage of the answer. Default: `id`, `model` and `usage` of the answer, as in the SDKs of OpenAI and
   * Anthropic.
   */
  readonly usageOf?: ((result: Result) => CallUsage | undefined) | undefined;
  /** Aborts the call and releases its reservation. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum time to wait for the decision, in milliseconds, if the call may pass without one. */
const TIMEOUT_MS = 2_000;

/**
 * Opens calls to providers. Each call starts with a decision, is covered by a write-ahead while it runs, and ends once
 * with its usage or a release.
 */
@Injectable()
export class GovernedCalls {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly decisions: DecisionService,
    private readonly calls: LiveCalls,
    private readonly passes: OpenPasses,
  ) {}

  /**
   * Requests a decision and opens the call if the decision allows it.
   * @throws BadRequestError that names every invalid field
   * @throws RefusedError if the decision does not allow the call
   * @throws UnavailableError if no decision can be made now and `onUnavailable` is `refuse`
   */
  async open(orgId: string, request: CallRequest, options: OpenOptions = {}): Promise<OpenCall> {
    const checked = parseDecision(request);
    let decision: Decision;
    try {
      decision = await this.decide(orgId, checked, options);
    } catch (error) {
      if (this.calls.choiceOf(options) === 'refuse' || !isAway(error)) throw error;
      this.passes.note(orgId, 'decision', error);
      return this.calls.begin(orgId, boundInput(checked, options.caller ?? {}), undefined, options);
    }
    this.passes.noteDecided();
    return this.begin(orgId, boundInput(checked, options.caller ?? {}), decision, options);
  }

  /**
   * Opens a call under an earlier decision. One decision may have several calls, such as the attempts of an SDK.
   * @throws RefusedError if the decision does not allow the call
   */
  resume(orgId: string, request: CallRequest, decision: Decision, options: OpenOptions = {}): OpenCall {
    // Project and tags are read from the decision, because the credential of the decision may have set them.
    const { project: _project, tags: _tags, ...rest } = parseDecision(request);
    return this.begin(orgId, rest, decision, options);
  }

  /**
   * Makes one call: requests a decision, calls `run`, and stores the usage before it returns the result. If `run`
   * throws, or the signal aborts before the answer, the reservation is released. An answer that arrives later is still
   * recorded.
   * @throws the errors of {@link open} and `run`, and the signal's reason
   * @throws UnavailableError if the usage cannot be stored in time and `onUnavailable` is `refuse`
   */
  async call<Result>(orgId: string, request: CallRequest, options: CallOptions<Result>): Promise<Result> {
    const { run, signal, usageOf = usageOfAnswer } = options;
    signal?.throwIfAborted();
    const call = await this.open(orgId, request, options);
    let result: Result;
    try {
      signal?.throwIfAborted();
      const running = run({ decision: call.decision, signal });
      result = await unlessAborted(signal, running, () =>
        this.recordLate(orgId, request, call.decision, running.then(usageOf)),
      );
    } catch (error) {
      await call.release();
      throw error;
    }
    await this.settleBy(call, () => usageOf(result));
    return result;
  }

  /**
   * Ends a call with the usage that `read` returns. If `read` fails, the call is still counted, because the provider
   * has served the answer.
   */
  settleBy(call: OpenCall, read: () => CallUsage | undefined): Promise<void> {
    return call.settle(this.usageIn(read));
  }

  /**
   * Counts the ended calls of an organization now. By default, this happens within the next second. For tests and
   * scripts that read usage or budgets right after a call.
   */
  flush(orgId: string): Promise<void> {
    return this.calls.ledger.flush(orgId);
  }

  private begin(orgId: string, request: CallRequest, decision: Decision, options: OpenOptions): OpenCall {
    if (!decision.allowed) throw new RefusedError(decision);
    return this.calls.begin(orgId, request, decision, options);
  }

  private decide(orgId: string, request: CallRequest, options: OpenOptions): Promise<Decision> {
    const { em, tx, caller } = options;
    const host = { ...(em && { em }), ...(tx && { tx }) };
    const deciding = this.decisions.decide(orgId, request, { ...host, caller, endsHere: true });
    if (this.calls.choiceOf(options) === 'refuse') return deciding;
    return within(TIMEOUT_MS, deciding, () => new UnavailableError('No decision came in time.'));
  }

  /** Records the usage of an answer that arrived after the caller had stopped waiting. */
  private recordLate(
    orgId: string,
    request: CallRequest,
    decision: Decision | undefined,
    late: Promise<CallUsage | undefined>,
  ): void {
    late
      .then(usage => usage && this.calls.begin(orgId, request, decision, {}).settle(usage))
      .catch((error: unknown) => this.logger.debug(`A call that was aborted has failed: ${messageOf(error)}`));
  }

  private usageIn(read: () => CallUsage | undefined): CallUsage {
    try {
      const usage = read();
      if (usage) return usage;
      this.logger.warn('usageOf found no usage in an answer: what the request estimated is recorded.');
    } catch (error) {
      this.logger.error(`usageOf threw an error; the request's estimate is recorded instead. ${messageOf(error)}`);
    }
    return { estimated: true };
  }
}

/**
 * Rejects with the signal's reason when the signal aborts. After that, the result of the work is ignored, and `late` is
 * called.
 */
function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>, late: () => void): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      late();
      reject(
        signal.reason instanceof Error ? signal.reason : new Error('The call was aborted.', { cause: signal.reason }),
      );
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
