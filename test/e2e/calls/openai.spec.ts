import OpenAI, { APIError } from 'openai';
import { governedFetch } from 'nest-llm-governance/openai';
import { FORECAST, inEveryWay, PROMPT, type Access, type CalledTool, type Driver } from './driver.support.js';
import { describeCallsOf } from './matrix.support.js';

const { name, description, parameters } = FORECAST;
const CHAT = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: PROMPT }] };
const CHAT_TOOLS = [{ type: 'function' as const, function: { name, description, parameters: { ...parameters } } }];
const RESPONSE = { model: 'gpt-5-mini', input: PROMPT };
const RESPONSE_TOOLS = [{ type: 'function' as const, name, description, parameters: { ...parameters }, strict: null }];

const shared = { provider: 'openai' as const, noticesShortStreams: true, namesBrokenStreams: true, failureOf };

function clientOf({ root, apiKey, maxRetries, inProcess }: Access): OpenAI {
  const governed =
    inProcess && governedFetch(inProcess.calls, () => ({ orgId: inProcess.orgId, user_id: inProcess.user_id }));
  return new OpenAI({ apiKey, maxRetries, baseURL: `${root}/v1`, ...(governed && { fetch: governed }) });
}

function failureOf(error: unknown): { status: number | undefined; code?: unknown } {
  return error instanceof APIError ? { status: error.status, code: error.code } : { status: undefined };
}

function toolOf(name: string, json: string): CalledTool {
  return { name, arguments: JSON.parse(json) };
}

const chat: Driver = {
  ...{ ...shared, name: 'Chat completions of openai', promptTokens: inEveryWay(13) },
  async plain(access, { tools } = {}) {
    const { choices } = await clientOf(access).chat.completions.create({
      ...CHAT,
      ...(tools && { tools: CHAT_TOOLS }),
    });
    const message = choices[0]?.message;
    const calls = (message?.tool_calls ?? []).flatMap(call => (call.type === 'function' ? [call.function] : []));
    return { text: message?.content ?? '', tools: calls.map(call => toolOf(call.name, call.arguments)) };
  },
  async stream(access, { tools, signal, onText } = {}) {
    const request = { ...CHAT, ...(tools && { tools: CHAT_TOOLS }) };
    const stream = clientOf(access).chat.completions.stream(request, { signal });
    stream.on('content', text => onText?.(text));
    const { choices } = await stream.finalChatCompletion();
    const message = choices[0]?.message;
    const calls = (message?.tool_calls ?? []).flatMap(call => (call.type === 'function' ? [call.function] : []));
    return { text: message?.content ?? '', tools: calls.map(call => toolOf(call.name, call.arguments)) };
  },
};

const responses: Driver = {
  ...{ ...shared, name: 'Responses of openai', promptTokens: inEveryWay(10) },
  async plain(access, { tools } = {}) {
    const request = { ...RESPONSE, ...(tools && { tools: RESPONSE_TOOLS }) };
    const { output_text, output } = await clientOf(access).responses.create(request);
    const calls = output.filter(item => item.type === 'function_call');
    return { text: output_text, tools: calls.map(call => toolOf(call.name, call.arguments)) };
  },
  async stream(access, { tools, signal, onText } = {}) {
    const request = { ...RESPONSE, stream: true as const, ...(tools && { tools: RESPONSE_TOOLS }) };
    let text = '';
    const calls: CalledTool[] = [];
    for await (const event of await clientOf(access).responses.create(request, { signal })) {
      if (event.type === 'response.output_text.delta') {
        text += event.delta;
        onText?.(event.delta);
      }
      if (event.type === 'response.output_item.done' && event.item.type === 'function_call') {
        calls.push(toolOf(event.item.name, event.item.arguments));
      }
    }
    return { text, tools: calls };
  },
};

describeCallsOf(chat, responses);
