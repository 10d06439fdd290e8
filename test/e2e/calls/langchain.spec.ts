import type { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { APIError } from 'openai';
import { RefusedError } from '#calls';
import { governanceCallbacks } from 'nest-llm-governance/langchain';
import { FORECAST, PROMPT, type Access, type AskOptions, type CalledTool, type Driver } from './driver.support.js';
import { describeCallsOf } from './matrix.support.js';

const { name, description, parameters } = FORECAST;
const TOOLS = [{ type: 'function' as const, function: { name, description, parameters: { ...parameters } } }];

function modelOf({ root, apiKey, maxRetries, inProcess }: Access, model: string, useResponsesApi: boolean): ChatOpenAI {
  const callbacks = inProcess && [
    governanceCallbacks(inProcess.calls, () => ({ orgId: inProcess.orgId, user_id: inProcess.user_id })),
  ];
  return new ChatOpenAI({
    ...{ model, apiKey, maxRetries, useResponsesApi, configuration: { baseURL: `${root}/v1` } },
    ...(callbacks && { callbacks }),
  });
}

function saidOf(message: AIMessage | AIMessageChunk | undefined): { text: string; tools: CalledTool[] } {
  const tools = (message?.tool_calls ?? []).map(call => ({ name: call.name, arguments: call.args as never }));
  return { text: message?.text ?? '', tools };
}

interface Flavor {
  model: string;
  isResponses: boolean;
  /** The estimated tokens of the prompt in its transmitted form. */
  atGateway: number;
}

function driverOf(name: string, { model, isResponses, atGateway }: Flavor): Driver {
  const open = (access: Access, { tools }: AskOptions) => {
    const chat = modelOf(access, model, isResponses);
    return tools ? chat.bindTools(TOOLS) : chat;
  };
  return {
    ...{ name, provider: 'openai', noticesShortStreams: false, namesBrokenStreams: false },
    promptTokens: { 'in process': 13, 'through the gateway': atGateway },
    async plain(access, options = {}) {
      return saidOf(await open(access, options).invoke(PROMPT));
    },
    async stream(access, { signal, onText, ...options } = {}) {
      let whole: AIMessageChunk | undefined;
      for await (const chunk of await open(access, options).stream(PROMPT, { ...(signal && { signal }) })) {
        whole = whole ? whole.concat(chunk) : chunk;
        if (chunk.text !== '') onText?.(chunk.text);
      }
      return saidOf(whole);
    },
    failureOf(error) {
      if (error instanceof RefusedError) return { status: error.status, code: error.code };
      return error instanceof APIError ? { status: error.status, code: error.code } : { status: undefined };
    },
  };
}

describeCallsOf(
  driverOf('Chat completions of @langchain/openai', { model: 'gpt-4o-mini', isResponses: false, atGateway: 13 }),
  driverOf('Responses of @langchain/openai', { model: 'gpt-5-mini', isResponses: true, atGateway: 14 }),
);
