import { isRecord } from '../json.js';
import type { WireOperation } from '../routes.js';
import type { AnswerFacts } from './answer-facts.js';

type Event = Readonly<Record<string, unknown>>;

/** Reads one event of a stream according to the format of its route. */
export type ReadEvent = (facts: AnswerFacts, event: Event) => void;

const none: Event = {};
const recordOf = (value: unknown): Event => (isRecord(value) ? value : none);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The reader for the events of each route. */
export const READ_EVENT: Record<WireOperation, ReadEvent> = {
  chat_completions: readChunk,
  completions: readChunk,
  responses: readResponsesEvent,
  messages: readMessagesEvent,
  embeddings: readChunk,
  count_tokens: () => undefined,
  models: () => undefined,
};

/** The text that marks the end of a stream of chunks. */
export const DONE = '[DONE]';

/** Whether an event is the separate usage chunk at the end of a stream. */
export function isUsageChunk(event: Event): boolean {
  const { choices, usage } = event;
  return Array.isArray(choices) && choices.length === 0 && isRecord(usage);
}

/**
 * Reads a chunk of chat completions or completions. Some providers report usage in every chunk, most only in the last
 * one.
 */
function readChunk(facts: AnswerFacts, chunk: Event): void {
  facts.name(chunk);
  if (chunk['error'] !== undefined && chunk['error'] !== null) facts.fail(chunk['error']);
  for (const choice of listOf(chunk['choices'])) {
    const { text, delta, finish_reason: reason } = recordOf(choice);
    if (typeof reason === 'string') facts.ended = true;
    facts.wrote(text);
    readDelta(facts, recordOf(delta));
  }
  facts.report(chunk['usage']);
}

/** Providers of OpenAI-compatible APIs name reasoning `reasoning_content` or `reasoning`. */
function readDelta(facts: AnswerFacts, delta: Event): void {
  facts.wrote(delta['content']);
  facts.wrote(delta['refusal']);
  facts.wrote(delta['reasoning_content'] ?? delta['reasoning']);
  const calls = listOf(delta['tool_calls']).map(call => recordOf(recordOf(call)['function']));
  for (const call of [...calls, recordOf(delta['function_call'])]) {
    facts.wrote(call['name']);
    facts.wrote(call['arguments']);
  }
}

const LAST_OF_RESPONSE = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

function readResponsesEvent(facts: AnswerFacts, event: Event): void {
  const { type } = event;
  const response = recordOf(event['response']);
  facts.name(response);
  // The audio is base64, so it does not count as text.
  if (type !== 'response.audio.delta') facts.wrote(event['delta']);
  if (type === 'response.output_item.added') facts.wrote(recordOf(event['item'])['name']);
  if (type === 'error') facts.fail(isRecord(event['error']) ? event['error'] : event);
  if (!LAST_OF_RESPONSE.has(type)) return;
  facts.report(response['usage']);
  if (type === 'response.failed') facts.fail(response['error']);
  facts.ended = true;
}

/** Reads an event of a message. The counts in `message_delta` cover the whole message so far and not only the event. */
function readMessagesEvent(facts: AnswerFacts, event: Event): void {
  const delta = recordOf(event['delta']);
  switch (event['type']) {
    case 'message_start': {
      const message = recordOf(event['message']);
      facts.name(message);
      return facts.begin(message['usage']);
    }
    case 'content_block_start':
      return facts.wrote(recordOf(event['content_block'])['name']);
    case 'content_block_delta':
      return facts.wrote(delta['text'] ?? delta['partial_json'] ?? delta['thinking']);
    case 'message_delta':
      if (typeof delta['stop_reason'] === 'string') facts.ended = true;
      return facts.report(event['usage']);
    case 'message_stop':
      facts.ended = true;
      return;
    case 'error':
      return facts.fail(event['error']);
    default:
  }
}
