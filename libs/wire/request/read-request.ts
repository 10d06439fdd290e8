import { BadRequestError, serviceTierNamed, type ServiceTier } from '#core';
import { countOf, isRecord } from '../json.js';
import type { WireRoute } from '../routes.js';
import { estimateInputTokens } from './input-estimate.js';

/** Data of a provider request that a decision needs, and the body to send. */
export interface WireRequest {
  readonly model: string;
  /** Whether the client requests a stream of events. */
  readonly stream: boolean;
  /** Estimated number of input tokens; see {@link estimateInputTokens}. */
  readonly estimatedInputTokens: number;
  /** Maximum number of output tokens for all choices together, if the request limits it; 0 for embeddings. */
  readonly maxOutputTokens?: number;
  /** The tier that the request names, if it names one. The answer may name another. */
  readonly serviceTier?: ServiceTier;
  /**
   * The body to send. It differs from the received body only if the provider must be asked to report the usage of a
   * stream.
   */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether `body` differs from the received body. If not, the received bytes can be sent unchanged. */
  readonly changed: boolean;
  /** Whether to hide the usage chunk from the client, because the client did not request it. */
  readonly hidesUsageChunk: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** Maximum number of tokens that a decision accepts. */
const MAX_TOKENS = 1_000_000_000;

/** For each operation: the maximum number of output tokens per choice. */
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

/** Only these two routes need a flag to report the usage of a stream. All other routes always report it. */
function mustAskForUsage({ operation }: WireRoute, body: Body): boolean {
  if (operation !== 'chat_completions' && operation !== 'completions') return false;
  return optionsOf(body)['include_usage'] !== true;
}

function optionsOf(body: Body): Body {
  const options = body['stream_options'];
  return isRecord(options) ? options : {};
}

/** Number of choices to which the limit of output tokens applies. */
function choicesOf({ operation }: WireRoute, body: Body): number {
  if (operation !== 'chat_completions' && operation !== 'completions') return 1;
  const choices = Math.max(1, countOf(body['n']) ?? 1, countOf(body['best_of']) ?? 1);
  const prompt = body['prompt'];
  // A list of numbers is a single prompt, given as token ids.
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
  return choices * Math.max(prompts, 1);
}
