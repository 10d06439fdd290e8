// Governs models of LangChain, as a callback handler. Depends on none of LangChain's packages.
import type { Caller, CallSource, SdkOptions } from '../call/caller.js';
import { GovernanceCallbackHandler } from './callback-handler.js';

export type { Caller, CallSource, SdkOptions } from '../call/caller.js';
export type { GovernanceCallbackHandler } from './callback-handler.js';

/**
 * The former name of {@link SdkOptions}.
 * @deprecated Use `SdkOptions`. This name is removed in the next version.
 */
export type DoorOptions = SdkOptions;

/** Data about the next run, with which the host determines the caller. */
export interface RunContext {
  readonly provider: string;
  readonly model: string;
  readonly runId: string;
  /** Metadata that the caller passed: `{ metadata: { user: 'ada@example.com' } }`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** Returns the caller of a run. */
export type CallerOfRun = (context: RunContext) => Caller | Promise<Caller>;

/** Options of governed runs. */
export interface CallbackOptions extends SdkOptions {
  /**
   * Seconds after which a stream without tokens counts as canceled. LangChain does not report canceled streams. The
   * stream is then recorded with the streamed tokens. Default: 600.
   */
  readonly idleSeconds?: number;
}

/**
 * A handler for `callbacks`. Requests a decision before each run of a chat model, and records the usage after it,
 * including cached tokens and streams. If LangChain retries inside a run, all attempts share one decision. A refusal is
 * thrown as `RefusedError`, with `decision`, `status` and `code`: LangChain waits for this handler and throws its
 * errors (`awaitHandlers`, `raiseError`). A failed run releases its reservation. If tokens were already streamed, it is
 * recorded with these tokens instead.
 * @param calls opens the calls: `GovernedCalls` of the module
 * @param callerOf returns the caller; called before each run
 */
export function governanceCallbacks(
  calls: CallSource,
  callerOf: CallerOfRun,
  options: CallbackOptions = {},
): GovernanceCallbackHandler {
  return new GovernanceCallbackHandler(calls, callerOf, options);
}
