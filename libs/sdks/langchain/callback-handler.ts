import { estimateInputTokens } from '#wire';
import { openCall, type Caller, type CallSource, type SdkOptions } from '../call/caller.js';
import { StreamedCall, type Answered } from '../call/streamed-call.js';
import { answeredRun, promptOf, startedRun, textsOf } from './run-facts.js';

const DEFAULT_IDLE_SECONDS = 600;

interface RunOptions extends SdkOptions {
  readonly idleSeconds?: number;
}

interface Context {
  readonly provider: string;
  readonly model: string;
  readonly runId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

interface Run {
  readonly call: StreamedCall;
  idle: NodeJS.Timeout | undefined;
}

/** The methods that LangChain calls, with LangChain's order of parameters. Created by `governanceCallbacks`. */
export class GovernanceCallbackHandler {
  readonly name = 'nest-llm-governance';
  /** LangChain waits for the handler, and so for the decision. */
  readonly awaitHandlers = true;
  /** An error of the handler, such as a refusal, ends the run. */
  readonly raiseError = true;

  private readonly runs = new Map<string, Run>();
  private readonly idleMs: number;

  constructor(
    private readonly calls: CallSource,
    private readonly callerOf: (context: Context) => Caller | Promise<Caller>,
    private readonly options: RunOptions,
  ) {
    this.idleMs = (options.idleSeconds ?? DEFAULT_IDLE_SECONDS) * 1_000;
  }

  /**
   * LangChain copies handlers for some runs. This returns the same object, because a run must end in the handler in
   * which it started.
   */
  copy(): this {
    return this;
  }

  async handleChatModelStart(
    _model: unknown,
    messages: unknown,
    runId: string,
    _parentRunId?: string,
    extra?: unknown,
    tags: readonly string[] = [],
    metadata: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const { provider, model, tools, maxOutputTokens } = startedRun(extra, metadata);
    const estimatedInputTokens = estimateInputTokens({ messages: promptOf(messages), tools });
    const caller = await this.callerOf({ provider, model, runId, metadata, tags });
    const asked = { provider, model, estimatedInputTokens, maxOutputTokens };
    const call = await openCall(this.calls, caller, asked, this.options);
    this.runs.set(runId, { call: new StreamedCall(call, estimatedInputTokens), idle: undefined });
  }

  /** Called for text models, which have prompts instead of messages. */
  handleLLMStart(
    model: unknown,
    prompts: readonly string[],
    runId: string,
    parentRunId?: string,
    extra?: unknown,
    tags?: readonly string[],
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.handleChatModelStart(model, prompts, runId, parentRunId, extra, tags, metadata);
  }

  async handleLLMNewToken(
    token: unknown,
    _index: unknown,
    runId: string,
    _parentRunId?: string,
    _tags?: readonly string[],
    fields?: unknown,
  ): Promise<void> {
    const run = this.runs.get(runId);
    if (!run) return;
    run.idle ??= setTimeout(() => void this.end(runId)?.settle(), this.idleMs).unref();
    run.idle.refresh();
    for (const text of textsOf(token, fields)) await run.call.wrote(text);
  }

  async handleLLMEnd(output: unknown, runId: string): Promise<void> {
    const answered: Answered = answeredRun(output);
    await this.end(runId)?.settle(answered);
  }

  async handleLLMError(_error: unknown, runId: string): Promise<void> {
    await this.end(runId)?.fail();
  }

  private end(runId: string): StreamedCall | undefined {
    const run = this.runs.get(runId);
    this.runs.delete(runId);
    clearTimeout(run?.idle);
    return run?.call;
  }
}
