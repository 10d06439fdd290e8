// Governs the models of the AI SDK, as middleware of version 4. Carries none of its packages along.
import { estimateInputTokens } from '#wire';
import { openCall, type Caller, type CallSource, type DoorOptions } from '../call/caller.js';
import { StreamedCall } from '../call/streamed-call.js';
import type { AiCallParams, AiGenerated, AiModel, AiStreamed } from './ai-types.js';
import { aiUsageOf } from './ai-usage.js';
import { governedParts } from './governed-parts.js';

export type { Caller, CallSource, DoorOptions } from '../call/caller.js';
export type { AiCallParams, AiGenerated, AiModel, AiPart, AiStreamed } from './ai-types.js';

/** The call that is about to be made, for finding out who makes it. */
export interface AiContext {
  /** First word of the AI SDK's name of the provider: `openai` of `openai.responses`. */
  readonly provider: string;
  readonly model: string;
  readonly params: AiCallParams;
}

/** Says for whom a call is made. */
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
 * Middleware for `wrapLanguageModel({ model, middleware })`: each call of a model is decided before it is made and
 * settled by what it used, cached tokens and streams included. With tools of your own, each step is a call.
 *
 * A refusal is thrown as `RefusedError`, with `decision`, `status` and `code`; the AI SDK does not retry it. A call that
 * fails gives its reservation back. A stream that breaks off or is left is settled by what was streamed.
 *
 * @param calls what opens calls: `GovernedCalls` of the module
 * @param callerOf says for whom a call is made; called before each call
 */
export function governanceMiddleware(
  calls: CallSource,
  callerOf: CallerOfAi,
  options: DoorOptions = {},
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
