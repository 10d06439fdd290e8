import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { governedFetch } from 'nest-llm-governance/anthropic';
import { FORECAST, inEveryWay, PROMPT, type Access, type CalledTool, type Driver } from './driver.support.js';
import { describeCallsOf } from './matrix.support.js';

const { name, description, parameters } = FORECAST;
const REQUEST = {
  model: 'claude-haiku-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user' as const, content: PROMPT }],
};
const TOOLS = [{ name, description, input_schema: { ...parameters, required: [...parameters.required] } }];

function clientOf({ root, apiKey, maxRetries, inProcess }: Access): Anthropic {
  const governed =
    inProcess && governedFetch(inProcess.calls, () => ({ orgId: inProcess.orgId, user_id: inProcess.user_id }));
  return new Anthropic({ apiKey, maxRetries, baseURL: root, ...(governed && { fetch: governed }) });
}

function saidOf({ content }: Anthropic.Message): { text: string; tools: CalledTool[] } {
  return {
    text: content.map(block => (block.type === 'text' ? block.text : '')).join(''),
    tools: content.flatMap(block =>
      block.type === 'tool_use' ? [{ name: block.name, arguments: block.input as CalledTool['arguments'] }] : [],
    ),
  };
}

const messages: Driver = {
  name: 'Messages of @anthropic-ai/sdk',
  provider: 'anthropic',
  promptTokens: inEveryWay(13),
  namesBrokenStreams: true,
  noticesShortStreams: true,
  async plain(access, { tools } = {}) {
    return saidOf(await clientOf(access).messages.create({ ...REQUEST, ...(tools && { tools: TOOLS }) }));
  },
  async stream(access, { tools, signal, onText } = {}) {
    const stream = clientOf(access).messages.stream({ ...REQUEST, ...(tools && { tools: TOOLS }) }, { signal });
    stream.on('text', text => onText?.(text));
    return saidOf(await stream.finalMessage());
  },
  failureOf(error) {
    if (!(error instanceof APIError)) return { status: undefined };
    // The body of a refusal contains its code in addition to the vendor's type.
    const { error: inner } = (error.error ?? {}) as { error?: { code?: unknown } };
    return { status: error.status, code: inner?.code };
  },
};

describeCallsOf(messages);
