// Governs models of LangChain, as a callback handler. Depends on none of its packages.
import type { Caller, CallSource, SdkOptions } from '../call/caller.js';
import { GovernanceCallbackHandler } from './callback-handler.js';

export type { Caller, CallSource, SdkOptions } from '../call/caller.js';
export type { GovernanceCallbackHandler } from './callback-handler.js';

/**
 * The former name of {@link SdkOptions}.
 * @deprecated Use `SdkOptions`. This name is removed in the next version.
 */
export type DoorOptions = SdkOptions;

/** The next run, to determine its caller. */
export interface RunContext {
  readonly provider: string;
  readonly model: string;
  readonly runId: string;
  /** Metadata of the call: `{ metadata: { user: 'ada@example.com' } }`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** Returns the caller of a run. */
export type CallerOfRun = (context: RunContext) => Caller | Promise<Caller>;

/** Options of governed runs. */
export interface CallbackOptions extends SdkOptions {
  /**
   * LangChain does not report a cancelled stream. If a stream sends no token for this many seconds, it is settled with
   * the streamed tokens. Default: 600.
   */
  readonly idleSeconds?: number;
}

/**
 * A handler for `callbacks`: decides about each run of a chat model before it is sent, and records its usage
 * afterwards, including cached tokens and streams. If LangChain retries inside a run, all attempts share one decision.
 * A refusal is thrown as `RefusedError`, with `decision`, `status` and `code`: LangChain waits for this handler and
 * throws its errors (`awaitHandlers`, `raiseError`). A failed run releases its reservation, or is settled with the
 * streamed tokens.
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
