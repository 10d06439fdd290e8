import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import {
  APICallError,
  generateText,
  jsonSchema,
  RetryError,
  streamText,
  tool,
  wrapLanguageModel,
  type ToolSet,
} from 'ai';
import { RefusedError } from '#calls';
import { governanceMiddleware } from 'nest-llm-governance/ai';
import {
  FORECAST,
  inEveryWay,
  PROMPT,
  type Access,
  type AskOptions,
  type CalledTool,
  type Driver,
} from './driver.support.js';
import { describeCallsOf } from './matrix.support.js';

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];

const { name, description, parameters } = FORECAST;
const TOOLS: ToolSet = {
  [name]: tool({ description, inputSchema: jsonSchema({ ...parameters, required: [...parameters.required] }) }),
};

interface Call {
  toolName: string;
  input: unknown;
}

const toolsOf = (calls: readonly Call[]): CalledTool[] =>
  calls.map(({ toolName, input }) => ({ name: toolName, arguments: input as CalledTool['arguments'] }));

/** The AI SDK wraps the last of several errors in another error. */
function failureOf(error: unknown): { status: number | undefined; code?: unknown } {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (cause instanceof RefusedError) return { status: cause.status, code: cause.code };
  if (!APICallError.isInstance(cause)) return { status: undefined };
  const { error: body } = JSON.parse(cause.responseBody ?? '{}') as { error?: { code?: unknown } };
  return { status: cause.statusCode, code: body?.code };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function driverOf(name: string, provider: Driver['provider'], modelOf: (access: Access) => Model): Driver {
  const settingsOf = (access: Access, { tools }: AskOptions) => {
    const { inProcess, maxRetries } = access;
    const model = modelOf(access);
    const governed =
      inProcess &&
      governanceMiddleware(inProcess.calls, () => ({ orgId: inProcess.orgId, user_id: inProcess.user_id }));
    const wrapped = governed ? wrapLanguageModel({ model, middleware: governed }) : model;
    return { model: wrapped, prompt: PROMPT, maxRetries, ...(tools && { tools: TOOLS }) };
  };
  return {
    ...{ name, provider, promptTokens: inEveryWay(13), noticesShortStreams: true, failureOf },
    ...{ namesBrokenStreams: true },
    async plain(access, options = {}) {
      const { text, toolCalls } = await generateText(settingsOf(access, options));
      return { text, tools: toolsOf(toolCalls) };
    },
    async stream(access, { signal, onText, ...options } = {}) {
      let failure: Error | undefined;
      const onError = ({ error }: { error: unknown }): void => void (failure ??= asError(error));
      const result = streamText({
        ...settingsOf(access, options),
        ...(signal && { abortSignal: signal }),
        onError,
      });
      let text = '';
      const calls: Call[] = [];
      for await (const part of result.stream) {
        if (part.type === 'text-delta') {
          text += part.text;
          onText?.(part.text);
        }
        if (part.type === 'tool-call') calls.push(part);
        if (part.type === 'error') failure ??= asError(part.error);
        if (part.type === 'finish' && part.finishReason === 'interrupted') failure ??= new Error('interrupted');
      }
      if (failure) throw failure;
      return { text, tools: toolsOf(calls) };
    },
  };
}

describeCallsOf(
  driverOf('Responses of ai with @ai-sdk/openai', 'openai', ({ root, apiKey }) =>
    createOpenAI({ baseURL: `${root}/v1`, apiKey })('gpt-5-mini'),
  ),
  driverOf('Chat completions of ai with @ai-sdk/openai', 'openai', ({ root, apiKey }) =>
    createOpenAI({ baseURL: `${root}/v1`, apiKey }).chat('gpt-4o-mini'),
  ),
  driverOf('Messages of ai with @ai-sdk/anthropic', 'anthropic', ({ root, apiKey }) =>
    createAnthropic({ baseURL: `${root}/v1`, apiKey })('claude-haiku-4-5'),
  ),
);
