// Governs the models of LangChain, as a callback handler. Carries none of its packages along.
import type { Caller, CallSource, DoorOptions } from '../call/caller.js';
import { GovernanceCallbackHandler } from './callback-handler.js';

export type { Caller, CallSource, DoorOptions } from '../call/caller.js';
export type { GovernanceCallbackHandler } from './callback-handler.js';

/** The run that is about to begin, for finding out who makes it. */
export interface RunContext {
  readonly provider: string;
  readonly model: string;
  readonly runId: string;
  /** As given with the call: `{ metadata: { user: 'ada@example.com' } }`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** Says for whom a run is made. */
export type CallerOfRun = (context: RunContext) => Caller | Promise<Caller>;

/** How runs are governed. */
export interface CallbackOptions extends DoorOptions {
  /**
   * LangChain does not say when a stream is left before its end. A run that has begun to stream and gives no token for
   * so long is settled by what was streamed. In seconds; default: 600.
   */
  readonly idleSeconds?: number;
}

/**
 * A handler for `callbacks`: each run of a chat model is decided before it is sent and settled by what it used, cached
 * tokens and streams included. If LangChain retries inside a run, all tries share its one decision.
 *
 * A refusal is thrown as `RefusedError`, with `decision`, `status` and `code`: LangChain waits for this handler and
 * passes its errors on (`awaitHandlers`, `raiseError`). A run that fails gives its reservation back, or is settled by
 * what was streamed.
 *
 * @param calls what opens calls: `GovernedCalls` of the module
 * @param callerOf says for whom a run is made; called before each run
 */
export function governanceCallbacks(
  calls: CallSource,
  callerOf: CallerOfRun,
  options: CallbackOptions = {},
): GovernanceCallbackHandler {
  return new GovernanceCallbackHandler(calls, callerOf, options);
}
