import { BadRequestError, serviceTierNamed, type ServiceTier } from '#core';
import { countOf, isRecord } from '../json.js';
import type { WireRoute } from '../routes.js';
import { estimateInputTokens } from './input-estimate.js';

/** Data of a provider request that a decision needs, and the body to send. */
export interface WireRequest {
  readonly model: string;
  /** Whether the client asks for a stream of events. */
  readonly stream: boolean;
  /** Estimated number of input tokens; see {@link estimateInputTokens}. */
  readonly estimatedInputTokens: number;
  /** Maximum tokens of all choices together, if the request limits them; 0 for embeddings. */
  readonly maxOutputTokens?: number;
  /** The tier that the request asks for, if it names one. The answer may name another. */
  readonly serviceTier?: ServiceTier;
  /** The body to send: the received body, unless the provider must be asked to report the usage of a stream. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether `body` differs from the received one; otherwise its bytes can be sent unchanged. */
  readonly changed: boolean;
  /** Whether to hide the usage chunk from the client, which did not ask for it. */
  readonly hidesUsageChunk: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** Maximum number of tokens that a decision accepts. */
const MAX_TOKENS = 1_000_000_000;

/** The maximum output tokens per choice of a request. */
const LIMIT_OF: Partial<Record<WireRoute['operation'], (body: Body) => number | undefined>> = {
  chat_completions: body => countOf(body['max_completion_tokens']) ?? countOf(body['max_tokens']),
  completions: body => countOf(body['max_tokens']),
  responses: body => countOf(body['max_output_tokens']),
  messages: body => countOf(body['max_tokens']),
  embeddings: () => 0,
};

/**
 * Reads the JSON body of a request to a metered route.
 * @throws BadRequestError if it is not an object, names no model, or requests background work, whose usage no answer
 *   would report
 */
export function readWireRequest(route: WireRoute, body: unknown): WireRequest {
  if (!isRecord(body)) throw new BadRequestError('The body must be a JSON object.');
  const model = body['model'];
  if (typeof model !== 'string' || model === '') {
    throw BadRequestError.field('model', 'is missing; name the model, such as "gpt-4o"');
  }
  if (route.operation === 'responses' && body['background'] === true) {
    throw BadRequestError.field('background', 'must be false: the usage of background work cannot be governed');
  }
  const stream = body['stream'] === true;
  const hidesUsageChunk = stream && mustAskForUsage(route, body);
  const limit = LIMIT_OF[route.operation]?.(body);
  const tier = serviceTierNamed(body['service_tier']);
  return {
    model,
    stream,
    estimatedInputTokens: Math.min(estimateInputTokens(body), MAX_TOKENS),
    ...(limit === undefined ? {} : { maxOutputTokens: Math.min(limit * choicesOf(route, body), MAX_TOKENS) }),
    ...(tier === undefined ? {} : { serviceTier: tier }),
    body: hidesUsageChunk ? { ...body, stream_options: { ...optionsOf(body), include_usage: true } } : body,
    changed: hidesUsageChunk,
    hidesUsageChunk,
  };
}

/** Only these two routes need a flag to report the usage of a stream; the others always report it. */
function mustAskForUsage({ operation }: WireRoute, body: Body): boolean {
  if (operation !== 'chat_completions' && operation !== 'completions') return false;
  return optionsOf(body)['include_usage'] !== true;
}

function optionsOf(body: Body): Body {
  const options = body['stream_options'];
  return isRecord(options) ? options : {};
}

/** Number of answers to which the limit applies. */
function choicesOf({ operation }: WireRoute, body: Body): number {
  if (operation !== 'chat_completions' && operation !== 'completions') return 1;
  const choices = Math.max(1, countOf(body['n']) ?? 1, countOf(body['best_of']) ?? 1);
  const prompt = body['prompt'];
  // A list of numbers is one prompt in tokens.
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
  return choices * Math.max(prompts, 1);
}
