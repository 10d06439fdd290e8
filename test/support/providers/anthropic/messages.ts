import { asInteger, asRecord, type JsonRecord } from '../json.js';
import { planOf, type Plan } from '../generation.js';
import type { Script } from '../script.js';
import { promptTokensOf, textOf } from '../tokens.js';
import type { Frame, Generation, ModelAnswer } from '../vendor.js';
import { newId } from '../ids.js';

/** Tokens of the prompt. A message and `count_tokens` count the same parts. */
export function promptOf(body: JsonRecord): number {
  return promptTokensOf([body['messages'], body['system'], body['tools']]);
}

/** `/v1/messages`. Reasoning is a thinking block, if the request allows thinking, and is billed as output. */
export function messageAnswer(body: JsonRecord, model: string, script: Script): ModelAnswer {
  const id = newId('msg_01');
  const thinks = asRecord(body['thinking'])?.['type'];
  const isThinking = thinks !== undefined && thinks !== 'disabled';
  const plan = planOf(isThinking ? script : { ...script, reasoningTokens: 0 }, {
    promptTokens: promptOf(body),
    maxTokens: asInteger(body['max_tokens']),
  });
  const blocks = blocksOf(plan);
  const thinkingTokens = plan.generation.reasoningTokens;
  // Thinking is visible in the stream, so all output counts when it is sent.
  const visibleTokens = plan.generation.visibleTokens + thinkingTokens;
  const generation = { ...plan.generation, reasoningTokens: 0, visibleTokens };
  const stop_reason = stopReasonOf(plan);
  const head = { id, type: 'message', role: 'assistant', model };
  const usage = (visible: number): JsonRecord => messageUsage(generation, visible, thinkingTokens);
  return {
    id,
    model,
    generation,
    usage,
    plain: () =>
      JSON.stringify({
        ...head,
        content: blocks.map(({ done }) => done),
        stop_reason,
        stop_sequence: null,
        stop_details: null,
        container: null,
        usage: usage(visibleTokens),
      }),
    *frames() {
      const message = { ...head, content: [], stop_reason: null, stop_sequence: null };
      // The first token is already counted when the message starts.
      const start = event('message_start', { message: { ...message, usage: messageUsage(generation, 1) } });
      yield { ...start, reports: 1 };
      for (const [index, block] of blocks.entries()) {
        yield event('content_block_start', { index, content_block: block.start }, block.startTokens);
        if (index === 0) yield event('ping', {});
        for (const { delta, tokens } of block.deltas) yield event('content_block_delta', { index, delta }, tokens);
        yield event('content_block_stop', { index });
      }
      const delta = { stop_reason, stop_sequence: null, stop_details: null, container: null };
      // The usage at the end covers the whole message.
      const final = { ...usage(visibleTokens), cache_creation: undefined, service_tier: undefined };
      yield { ...event('message_delta', { delta, usage: final }), isUsage: true };
      yield event('message_stop', {});
    },
    deathFrames: () => [event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })],
  };
}

function event(type: string, fields: JsonRecord, tokens = 0): Frame {
  return { event: type, data: JSON.stringify({ type, ...fields }), tokens };
}

/** The vendor counts uncached tokens of the prompt separately from tokens written to the cache and read from it. */
function messageUsage(generation: Generation, outputTokens: number, thinkingTokens = 0): JsonRecord {
  const { promptTokens, cachedTokens, cacheWriteTokens } = generation;
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: thinkingTokens > 0 ? { thinking_tokens: Math.min(thinkingTokens, outputTokens) } : null,
    server_tool_use: null,
    service_tier: 'standard',
  };
}

interface Block {
  start: JsonRecord;
  startTokens: number;
  deltas: { delta: JsonRecord; tokens: number }[];
  done: JsonRecord;
}

function blocksOf(plan: Plan): Block[] {
  const blocks: Block[] = [];
  const { reasoningTokens } = plan.generation;
  if (reasoningTokens > 0) blocks.push(thinkingBlock(reasoningTokens, plan.tokensPerDelta));
  if (plan.textTokens > 0) {
    blocks.push({
      start: { type: 'text', text: '' },
      startTokens: 0,
      deltas: inSteps(plan.textTokens, plan.tokensPerDelta).map(([from, to]) => ({
        delta: { type: 'text_delta', text: textOf(from, to) },
        tokens: to - from,
      })),
      done: { type: 'text', text: textOf(0, plan.textTokens) },
    });
  }
  for (const { name, nameTokens, json, fragments } of plan.tools) {
    const head = { type: 'tool_use', id: newId('toolu_01'), name };
    const parts = ['', ...fragments].map((partial_json, index) => ({
      delta: { type: 'input_json_delta', partial_json },
      tokens: index === 0 ? 0 : 1,
    }));
    const done = { ...head, input: JSON.parse(json) as unknown };
    blocks.push({ start: { ...head, input: {} }, startTokens: nameTokens, deltas: parts, done });
  }
  return blocks;
}

/** Thinking comes before the text and ends with a signature. */
function thinkingBlock(tokens: number, step: number): Block {
  const signature = 'EqQBCgIYAhIkZW11bGF0b3Itc2lnbmF0dXJl';
  const thoughts = inSteps(tokens, step).map(([from, to]) => ({
    delta: { type: 'thinking_delta', thinking: textOf(from, to) },
    tokens: to - from,
  }));
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    startTokens: 0,
    deltas: [...thoughts, { delta: { type: 'signature_delta', signature }, tokens: 0 }],
    done: { type: 'thinking', thinking: textOf(0, tokens), signature },
  };
}

function inSteps(tokens: number, step: number): [number, number][] {
  const steps: [number, number][] = [];
  for (let from = 0; from < tokens; from += step) steps.push([from, Math.min(from + step, tokens)]);
  return steps;
}

function stopReasonOf({ isTruncated, tools }: Plan): string {
  if (isTruncated) return 'max_tokens';
  return tools.length > 0 ? 'tool_use' : 'end_turn';
}
