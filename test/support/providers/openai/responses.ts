import { randomBytes } from 'node:crypto';
import { asInteger, asRecord, type JsonRecord } from '../json.js';
import { planOf, type Plan } from '../generation.js';
import type { Script } from '../script.js';
import { promptTokensOf, textOf } from '../tokens.js';
import type { Frame, ModelAnswer } from '../vendor.js';
import { newId, nowSeconds } from '../ids.js';
import { outputItems, type OutputItem } from './response-items.js';
import { responseUsage } from './usage.js';

const SERVER_ERROR = {
  code: 'server_error',
  message: 'The server had an error while processing your request. Sorry about that!',
};

/** `/v1/responses`. The stream's events have names and numbers. It ends without `[DONE]`. */
export function responseAnswer(body: JsonRecord, model: string, script: Script): ModelAnswer {
  const plan = planOf(script, {
    promptTokens: promptTokensOf([body['input'], body['instructions'], body['tools']]),
    maxTokens: asInteger(body['max_output_tokens']),
  });
  const items = outputItems(plan, body);
  const response = responseObject(body, model);
  const usage = (visible: number): JsonRecord => responseUsage(plan.generation, visible);
  const finished = (): JsonRecord => finishedResponse(response, plan, items);
  let sequence = 0;
  const pads = asRecord(body['stream_options'])?.['include_obfuscation'] !== false;
  const event = (type: string, fields: JsonRecord, tokens = 0): Frame => {
    const padding = pads && 'delta' in fields ? { obfuscation: randomBytes(6).toString('base64url') } : {};
    const data = JSON.stringify({ type, sequence_number: sequence, ...fields, ...padding });
    sequence += 1;
    return { event: type, data, tokens };
  };
  return {
    id: response.id,
    model,
    generation: plan.generation,
    usage,
    plain: () => JSON.stringify(finished()),
    *frames() {
      yield event('response.created', { response });
      yield event('response.in_progress', { response });
      for (const [index, item] of items.entries()) yield* itemFrames(plan, item, index, event);
      const end = event(plan.isTruncated ? 'response.incomplete' : 'response.completed', { response: finished() });
      yield { ...end, isUsage: true };
    },
    deathFrames: isFailed => {
      if (!isFailed) return [event('error', { ...SERVER_ERROR, param: null })];
      return [event('response.failed', { response: { ...response, status: 'failed', error: SERVER_ERROR } })];
    },
  };
}

/** The fields of every snapshot of a response, before there is output. */
function responseObject(body: JsonRecord, model: string): JsonRecord & { id: string } {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: nowSeconds(),
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: null,
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
  };
}

function finishedResponse(response: JsonRecord, plan: Plan, items: readonly OutputItem[]): JsonRecord {
  return {
    ...response,
    status: plan.isTruncated ? 'incomplete' : 'completed',
    completed_at: plan.isTruncated ? null : nowSeconds(),
    incomplete_details: plan.isTruncated ? { reason: 'max_output_tokens' } : null,
    output: items.map(item => item.done),
    usage: responseUsage(plan.generation, plan.generation.visibleTokens),
  };
}

type WriteEvent = (type: string, fields: JsonRecord, tokens?: number) => Frame;

function* itemFrames(plan: Plan, item: OutputItem, output_index: number, event: WriteEvent): Iterable<Frame> {
  yield event(
    'response.output_item.added',
    { output_index, item: item.added },
    item.kind === 'tool' ? item.tool.nameTokens : 0,
  );
  const at = { item_id: item.id, output_index };
  if (item.kind === 'reasoning' && item.summary !== undefined) {
    const part = { ...at, summary_index: 0 };
    yield event('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } });
    yield event('response.reasoning_summary_text.delta', { ...part, delta: item.summary });
    yield event('response.reasoning_summary_text.done', { ...part, text: item.summary });
    const done = { type: 'summary_text', text: item.summary };
    yield event('response.reasoning_summary_part.done', { ...part, part: done });
  }
  if (item.kind === 'message') {
    const part = { ...at, content_index: 0 };
    const written = (text: string): JsonRecord => ({ type: 'output_text', annotations: [], logprobs: [], text });
    yield event('response.content_part.added', { ...part, part: written('') });
    for (let from = 0; from < plan.textTokens; from += plan.tokensPerDelta) {
      const to = Math.min(from + plan.tokensPerDelta, plan.textTokens);
      yield event('response.output_text.delta', { ...part, delta: textOf(from, to), logprobs: [] }, to - from);
    }
    const text = textOf(0, plan.textTokens);
    yield event('response.output_text.done', { ...part, text, logprobs: [] });
    yield event('response.content_part.done', { ...part, part: written(text) });
  }
  if (item.kind === 'tool') {
    for (const delta of item.tool.fragments) yield event('response.function_call_arguments.delta', { ...at, delta }, 1);
    const { name, json } = item.tool;
    yield event('response.function_call_arguments.done', { ...at, name, arguments: json });
  }
  yield event('response.output_item.done', { output_index, item: item.done });
}
