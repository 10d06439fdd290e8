// Governs models of the AI SDK, as middleware of version 4. Depends on none of the SDK's packages.
import { estimateInputTokens } from '#wire';
import { openCall, type Caller, type CallSource, type SdkOptions } from '../call/caller.js';
import { StreamedCall } from '../call/streamed-call.js';
import type { AiCallParams, AiGenerated, AiModel, AiStreamed } from './ai-types.js';
import { aiUsageOf } from './ai-usage.js';
import { governedParts } from './governed-parts.js';

export type { Caller, CallSource, SdkOptions } from '../call/caller.js';
export type { AiCallParams, AiGenerated, AiModel, AiPart, AiStreamed } from './ai-types.js';

/**
 * Former name of {@link SdkOptions}.
 * @deprecated Use `SdkOptions`. This name is removed in the next version.
 */
export type DoorOptions = SdkOptions;

/** Data about the next call, with which the host determines the caller. */
export interface AiContext {
  /** First part of the AI SDK's provider name: `openai` for `openai.responses`. */
  readonly provider: string;
  readonly model: string;
  readonly params: AiCallParams;
}

/** Returns the caller of a call. */
export type CallerOfAi = (context: AiContext) => Caller | Promise<Caller>;

/** A `LanguageModelV4Middleware` of the AI SDK. */
export interface GovernanceMiddleware {
  readonly specificationVersion: 'v4';
  wrapGenerate<Result extends AiGenerated>(call: {
    doGenerate: () => PromiseLike<Result>;
    params: AiCallParams;
    model: AiModel;
  }): Promise<Result>;
  wrapStream<Result extends AiStreamed>(call: {
    doStream: () => PromiseLike<Result>;
    params: AiCallParams;
    model: AiModel;
  }): Promise<Result>;
}

/**
 * Middleware for `wrapLanguageModel({ model, middleware })`. Requests a decision before each model call, and records
 * the usage after it, including cached tokens and streams. If a model uses tools, each step is a separate call. A
 * refusal is thrown as `RefusedError`, with `decision`, `status` and `code`; the AI SDK does not retry it. A failed
 * call releases its reservation. A stream that fails or is canceled is recorded with the tokens that were streamed.
 * @param calls opens the calls: `GovernedCalls` of the module
 * @param callerOf returns the caller; called before each call
 */
export function governanceMiddleware(
  calls: CallSource,
  callerOf: CallerOfAi,
  options: SdkOptions = {},
): GovernanceMiddleware {
  const open = async (model: AiModel, params: AiCallParams): Promise<StreamedCall> => {
    const [provider = model.provider] = model.provider.split('.');
    const caller = await callerOf({ provider, model: model.modelId, params });
    const estimatedInputTokens = estimateInputTokens({ messages: params.prompt, tools: params.tools });
    const asked = { provider, model: model.modelId, estimatedInputTokens, maxOutputTokens: params.maxOutputTokens };
    return new StreamedCall(await openCall(calls, caller, asked, options), estimatedInputTokens);
  };
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate, params, model }) {
      const call = await open(model, params);
      const result = await orReleased(call, doGenerate);
      const usage = aiUsageOf(result.usage);
      if (!usage) for (const part of result.content) await call.wrote(Reflect.get(part, 'text'));
      await call.settle({ id: result.response?.id, model: result.response?.modelId, usage });
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      const call = await open(model, params);
      const result = await orReleased(call, doStream);
      return { ...result, stream: governedParts(result.stream, call, params.abortSignal) };
    },
  };
}

async function orReleased<Result>(call: StreamedCall, run: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    await call.fail();
    throw error;
  }
}
